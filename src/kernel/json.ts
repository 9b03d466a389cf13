/** A value that survives JSON unchanged; what `jsonb` columns hold. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
