/**
 * Whose request this is: Signature V4 in the Authorization header, or in the parameters of a presigned link. Nothing else
 * gets in. What is not signed is not believed: the host and every x-amz header have to be.
 */
import type { Clock } from "../../kernel/clock.ts";
import type { Grant, ObjectStore } from "../object-store.ts";
import { headersFrom, type S3Request } from "./request.ts";
import { S3Error } from "./s3-error.ts";
import { algorithm, canonicalRequest, isSame, type Scope, sign, signingKey, stringToSign } from "./signature.ts";

const mostSkewMs = 15 * 60_000;
const longestLinkSeconds = 7 * 24 * 60 * 60;

/** What the chunks of a signed body are signed on with. */
export interface ChunkSigner {
  readonly key: Buffer;
  readonly timestamp: string;
  readonly scope: Scope;
  readonly seed: string;
}

export interface Authenticated {
  readonly grant: Grant;
  /** `x-amz-content-sha256`, or what stands for it. */
  readonly payload: string;
  readonly signer: ChunkSigner;
}

interface Claim {
  readonly accessKeyId: string;
  readonly scope: Scope;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly timestamp: string;
  readonly payload: string;
  /** The parameter of the signature; null: it is in the header. */
  readonly without: string | null;
}

export async function authenticate(
  request: S3Request,
  store: Pick<ObjectStore, "findGrant">,
  clock: Clock,
): Promise<Authenticated> {
  const claim =
    request.parameter("X-Amz-Algorithm") === null ? claimOfHeader(request, clock) : claimOfLink(request, clock);
  if (!claim.signedHeaders.includes("host"))
    throw new S3Error("AccessDenied", "The header host has to be among those that are signed.");
  const unsigned = Object.keys(request.headers).filter(
    (name) => name.startsWith("x-amz-") && !claim.signedHeaders.includes(name),
  );
  if (unsigned.length > 0)
    throw new S3Error(
      "AccessDenied",
      `There were headers present in the request which were not signed: ${unsigned.join(", ")}.`,
    );
  const grant = await store.findGrant(claim.accessKeyId);
  if (grant === null)
    throw new S3Error("InvalidAccessKeyId", "There is no such access key: it was revoked, or its bucket was deleted.");
  const key = signingKey(grant.secret, claim.scope);
  const canonical = canonicalRequest(request, claim.signedHeaders, claim.payload, claim.without);
  if (!isSame(sign(key, stringToSign(claim.timestamp, claim.scope, canonical)), claim.signature))
    throw new S3Error(
      "SignatureDoesNotMatch",
      "The signature is not that of this request with this key's secret: check the secret, and that no proxy changes path, host or headers.",
    );
  const { timestamp, scope, signature: seed } = claim;
  return { grant, payload: claim.payload, signer: { key, timestamp, scope, seed } };
}

const headerForm = /^AWS4-HMAC-SHA256\s+Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/;

function claimOfHeader(request: S3Request, clock: Clock): Claim {
  const { headers } = request;
  const { authorization } = headers;
  if (request.parameter("AWSAccessKeyId") !== null)
    throw new S3Error(
      "InvalidRequest",
      `Please use ${algorithm} for links: in boto3 with Config(signature_version="s3v4").`,
    );
  if (authorization === undefined)
    throw new S3Error("AccessDenied", "The request is not signed: nothing here is public.");
  if (!authorization.startsWith(algorithm))
    throw new S3Error("InvalidRequest", `Please use ${algorithm}: other signatures are not taken.`);
  const [, credential = "", signedHeaders = "", signature = ""] = headerForm.exec(authorization) ?? [];
  if (signature === "")
    throw new S3Error("AuthorizationHeaderMalformed", "The Authorization header is not understood.");
  const timestamp = headers["x-amz-date"] ?? "";
  const at = readTime(timestamp);
  if (at === null) throw new S3Error("AccessDenied", "The header x-amz-date has to be like 20130524T000000Z.");
  if (Math.abs(clock.now().getTime() - at) > mostSkewMs)
    throw new S3Error(
      "RequestTimeTooSkewed",
      "The request's time is more than 15 minutes from the server's: set the clock.",
    );
  const payload = headers["x-amz-content-sha256"];
  if (payload === undefined) throw new S3Error("InvalidRequest", "Missing required header: x-amz-content-sha256.");
  const { accessKeyId, scope } = readCredential(credential, timestamp, "AuthorizationHeaderMalformed");
  return { accessKeyId, scope, signedHeaders: signedHeaders.split(";"), signature, timestamp, payload, without: null };
}

function claimOfLink(request: S3Request, clock: Clock): Claim {
  const of = (name: string) => {
    const values = request.parameters.filter(([one]) => one === name);
    if (values.length !== 1) throw new S3Error("AuthorizationQueryParametersError", `There has to be one ${name}.`);
    return values[0]?.[1] ?? "";
  };
  if (request.headers.authorization !== undefined)
    throw new S3Error("InvalidArgument", "Only one way of signing a request is taken: the header or the parameters.");
  if (of("X-Amz-Algorithm") !== algorithm)
    throw new S3Error("AuthorizationQueryParametersError", `X-Amz-Algorithm has to be ${algorithm}.`);
  const timestamp = of("X-Amz-Date");
  const at = readTime(timestamp);
  const expires = of("X-Amz-Expires");
  if (at === null || !/^\d{1,6}$/.test(expires) || Number(expires) < 1 || Number(expires) > longestLinkSeconds)
    throw new S3Error(
      "AuthorizationQueryParametersError",
      "X-Amz-Expires has to be from 1 second to a week, X-Amz-Date like 20130524T000000Z.",
    );
  const now = clock.now().getTime();
  if (now > at + Number(expires) * 1000) throw new S3Error("AccessDenied", "Request has expired.");
  if (at > now + mostSkewMs) throw new S3Error("AccessDenied", "Request is not yet valid.");
  const { accessKeyId, scope } = readCredential(of("X-Amz-Credential"), timestamp, "AuthorizationQueryParametersError");
  const signature = of("X-Amz-Signature");
  const signedHeaders = of("X-Amz-SignedHeaders").split(";");
  const payload = request.headers["x-amz-content-sha256"] ?? "UNSIGNED-PAYLOAD";
  return { accessKeyId, scope, signedHeaders, signature, timestamp, payload, without: "X-Amz-Signature" };
}

function readCredential(
  text: string,
  timestamp: string,
  code: "AuthorizationHeaderMalformed" | "AuthorizationQueryParametersError",
) {
  const [accessKeyId = "", date = "", region = "", service, end, ...rest] = text.split("/");
  if (service !== "s3" || end !== "aws4_request" || rest.length > 0 || region === "" || date !== timestamp.slice(0, 8))
    throw new S3Error(code, "The credential has to be <access key>/<date of the request>/<region>/s3/aws4_request.");
  return { accessKeyId, scope: { date, region } };
}

function readTime(text: string): number | null {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? null : at;
}

/** A link can carry what would be headers in its parameters, which are signed. Checksums are left out: no body was known. */
export function withParametersAsHeaders(request: S3Request): S3Request {
  if (request.parameter("X-Amz-Signature") === null) return request;
  const carried = request.parameters
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => /^x-amz-(?!checksum-|sdk-|trailer|content-sha256|decoded-)/.test(name) && !ofLink.has(name));
  return { ...request, headers: headersFrom([...carried, ...Object.entries(request.headers)]) };
}

const ofLink = new Set(
  ["algorithm", "credential", "date", "expires", "signedheaders", "signature", "security-token"].map(
    (name) => `x-amz-${name}`,
  ),
);
