/** What services used. */

export interface MeteringTables {
  meteringBatches: {
    id: string;
    countedAt: Date;
  };
  serviceTraffic: Traffic & { windowStart: Date };
  serviceTrafficHours: Traffic & { hour: Date };
  buildUsage: {
    deploymentId: string;
    accountId: string;
    serviceId: string;
    startedAt: Date;
    seconds: number;
  };
}

interface Traffic {
  accountId: string;
  serviceId: string;
  requests: number;
  bytesIn: number;
  bytesOut: number;
  statuses: number[];
  latencies: number[];
}
