/** The language of a page that needs no login: the visitor's choice (`?lang=`), else their browser's, else French. */
import type { FastifyRequest } from "fastify";
import Negotiator from "negotiator";
import { isLanguage, type Language, languages } from "../kernel/language.ts";

export function languageOf(request: FastifyRequest): Language {
  const { lang } = request.query as { readonly lang?: unknown }; // a query string's values are text or lists of it
  if (isLanguage(lang)) return lang;
  const preferred = new Negotiator({ headers: request.headers }).language([...languages]);
  return isLanguage(preferred) ? preferred : "fr";
}
