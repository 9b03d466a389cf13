/** A channel's target and secret, which the database keeps sealed for that channel alone. */
import type { SecretBox } from "../../platform/crypto.ts";

export interface SealedChannel {
  readonly sealedTarget: Buffer;
  readonly sealedSecret: Buffer | null;
}

export function sealChannel(secrets: SecretBox, id: string, target: string, secret: string | null): SealedChannel {
  return {
    sealedTarget: secrets.seal(target, `channel/${id}/target`),
    sealedSecret: secret === null ? null : secrets.seal(secret, `channel/${id}/secret`),
  };
}

export function openTarget(secrets: SecretBox, id: string, { sealedTarget }: SealedChannel): string {
  return secrets.open(sealedTarget, `channel/${id}/target`);
}

export function openSecret(secrets: SecretBox, id: string, { sealedSecret }: SealedChannel): string | null {
  return sealedSecret === null ? null : secrets.open(sealedSecret, `channel/${id}/secret`);
}
