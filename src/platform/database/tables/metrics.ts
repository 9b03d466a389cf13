/** What services use, and the rules that watch it. */
import type { Generated } from "kysely";

export interface MetricsTables {
  serviceReadings: Sample & { accountId: string };
  serviceSamples: Sample;
  serviceSampleHours: {
    serviceId: string;
    hour: Date;
    cpuCoresAvg: number | null;
    cpuCoresMax: number | null;
    memoryMbAvg: number | null;
    memoryMbMax: number | null;
    instancesUpMin: number;
    instancesWantedMax: number;
  };
  alertRules: {
    id: string;
    accountId: string;
    serviceId: string | null;
    channelId: string | null;
    name: string;
    metric: "CPU_CORES" | "MEMORY_MB" | "SERVICE_DOWN";
    comparator: "GT" | "LT";
    threshold: number;
    enabled: Generated<boolean>;
    state: Generated<AlertState>;
    pendingState: AlertState | null;
    pendingCount: Generated<number>;
    toldFiring: Generated<boolean>;
    lastValue: number | null;
    lastCheckedAt: Date | null;
    lastWindow: Date | null;
    revision: Generated<number>;
    createdAt: Date;
  };
  alertEvents: {
    id: string;
    ruleId: string;
    state: AlertState;
    value: number | null;
    createdAt: Date;
  };
}

type AlertState = "OK" | "FIRING" | "UNKNOWN";

interface Sample {
  serviceId: string;
  windowStart: Date;
  cpuCores: number | null;
  memoryMb: number | null;
  instancesUp: number;
  instancesWanted: number;
}
