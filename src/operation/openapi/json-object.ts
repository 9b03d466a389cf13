import type { Json } from "../../kernel/json.ts";

export type JsonObject = { [name: string]: Json };
