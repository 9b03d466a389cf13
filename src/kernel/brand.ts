/** Every name that carries the brand, in one value: what an operator overrides to run Ksar under a name of their own. */
export interface Brand {
  readonly name: string;
  /** API keys begin with this and an underscore. */
  readonly keyPrefix: string;
  /** The headers of what Ksar sends begin with this and a hyphen. */
  readonly headerPrefix: string;
}

export const defaultBrand: Brand = { name: "Ksar", keyPrefix: "ksar", headerPrefix: "x-ksar" };
