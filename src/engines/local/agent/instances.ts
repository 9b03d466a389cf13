/** The instances of one kind that there should be, by their ids. */
import type { InstanceChange, InstanceStatus } from "../../engine.ts";
import { type AgentInstanceSpec, Instance, type InstanceHost, type InstanceRecord } from "./instance.ts";
import type { SampledInstance } from "./usage/usage-sampler.ts";

/** How soon the owner of an instance that presses against its limits is told. */
const watchMs = 5000;

export class Instances {
  readonly #host: InstanceHost;
  readonly #instances = new Map<string, Instance>();
  /** One call after the other for each id. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #listeners = new Set<(change: InstanceChange) => void>();

  constructor(host: Omit<InstanceHost, "changed">) {
    const changed = ({ serviceId, deploymentId }: InstanceChange) => {
      for (const listener of this.#listeners) listener({ serviceId, deploymentId });
    };
    this.#host = { ...host, changed };
    setInterval(() => {
      for (const instance of this.#instances.values()) instance.watchLimits();
    }, watchMs).unref();
  }

  async adoptAll(): Promise<void> {
    // At the same time: one that settles slowly must not keep the others, nor the agent, waiting.
    await Promise.all(
      this.#host.runs.records(this.#host.kind).map(async ({ name, record }) => {
        // The agent wrote it itself.
        const known = record as InstanceRecord;
        const instance = await Instance.adopt(this.#host, name, known);
        if (instance === null) this.#host.runs.clear(name);
        else this.#instances.set(known.id, instance);
      }),
    );
  }

  start(spec: AgentInstanceSpec): Promise<void> {
    return this.#inTurn(spec.id, async () => {
      const known = this.#instances.get(spec.id);
      if (known !== undefined) return known.refresh(spec);
      this.#instances.set(spec.id, await Instance.start(this.#host, spec));
      this.#host.changed(spec);
    });
  }

  stop(id: string, graceMs: number): Promise<void> {
    return this.#inTurn(id, async () => {
      const instance = this.#instances.get(id);
      if (instance === undefined) return;
      await instance.stop(graceMs);
      this.#instances.delete(id);
      this.#host.changed(instance);
    });
  }

  async stopAll(graceMs: number, serviceId?: string): Promise<void> {
    const wanted = [...this.#instances].filter(([, one]) => serviceId === undefined || one.serviceId === serviceId);
    await Promise.all(wanted.map(([id]) => this.stop(id, graceMs)));
  }

  /** Those of which a process is there, with the artifacts in whose release folders they run. */
  running(serviceId?: string): readonly { readonly serviceId: string; readonly folderId: string }[] {
    return [...this.#instances.values()].flatMap((instance) =>
      !instance.isRunning || (serviceId !== undefined && instance.serviceId !== serviceId)
        ? []
        : [{ serviceId: instance.serviceId, folderId: instance.artifactId }],
    );
  }

  /** Ends those that run from these releases; they start again, with growing delay, once `ready` is. */
  async end(serviceId: string, artifacts: readonly string[], cause: string, ready: Promise<void>): Promise<void> {
    const meant = [...this.#instances.values()].filter(
      (instance) => instance.serviceId === serviceId && artifacts.includes(instance.artifactId),
    );
    await Promise.all(meant.map((instance) => instance.end(cause, ready)));
  }

  /** null while an instance that was adopted has not been brought its specification again. */
  runtimesInUse(): ReadonlySet<string> | null {
    const all = [...this.#instances.values()].map((instance) => instance.runtimes);
    const known = all.filter((runtimes) => runtimes !== null);
    return known.length < all.length ? null : new Set(known.flat());
  }

  list(): readonly InstanceStatus[] {
    return [...this.#instances.values()].map((instance) => instance.status());
  }

  sampled(): readonly SampledInstance[] {
    return [...this.#instances.values()].map((instance) => instance.sampled);
  }

  /** Returns how to stop that. */
  onChange(listener: (change: InstanceChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #inTurn(id: string, action: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(id) ?? Promise.resolve()).then(action);
    const settled = turn
      .catch(() => undefined)
      .then(() => {
        if (this.#turns.get(id) === settled) this.#turns.delete(id);
      });
    this.#turns.set(id, settled);
    return turn;
  }
}
