import { type Static, Type } from "typebox";
import { Choice, Closed, DateTime, Nullable, Uuid } from "../../operation/schema.ts";

const accesses = ["READ", "READ_WRITE"] as const;

const name = Type.String({
  pattern: "^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$",
  description:
    "3 to 63 lower-case letters, digits and hyphens. It stands in addresses, and is unique on the whole platform.",
  examples: ["shop-uploads"],
});
const projectId = { format: "uuid", description: "The project that it belongs to; null: to the account alone." };

const credentialFields = {
  id: Uuid,
  name: Type.String({ examples: ["Website"] }),
  access: Choice(accesses, "READ: gets and lists. READ_WRITE: everything."),
  accessKeyId: Type.String({ description: "What S3 clients call the access key.", examples: ["KSAR7Q2M4X9C1B5N8V3Z"] }),
  lastUsedAt: Nullable(Type.String({ format: "date-time", description: "To within five minutes." })),
  createdAt: DateTime,
};

const BucketCredential = Closed(credentialFields, { title: "BucketCredential" });
export type BucketCredential = Static<typeof BucketCredential>;

const bucketFields = {
  id: Uuid,
  name: Type.String({ examples: ["shop-uploads"] }),
  projectId: Nullable(Type.String(projectId)),
  status: Choice(["ACTIVE", "DELETING"], "DELETING: what lies in it is being deleted, and nobody reaches it."),
  objects: Type.Integer({ description: "How many objects lie in it.", examples: [1204] }),
  sizeBytes: Type.Integer({
    description: "What they take, with the parts of unfinished uploads; this is what is metered.",
    examples: [73400320],
  }),
  endpoint: Type.String({ description: "The address for S3 clients.", examples: ["https://s3.example.com"] }),
  createdAt: DateTime,
};

export const Bucket = Closed(bucketFields, { title: "Bucket" });
export type Bucket = Static<typeof Bucket>;

export const BucketDetails = Closed(
  { ...bucketFields, credentials: Type.Array(BucketCredential, { description: "Without their secrets." }) },
  { title: "BucketDetails" },
);
export type BucketDetails = Static<typeof BucketDetails>;

export const NewBucket = Closed({ name, projectId: Type.Optional(Nullable(Type.String(projectId))) });
export type NewBucket = Static<typeof NewBucket>;

export const BucketDeletion = Closed({
  deleteObjects: Type.Optional(
    Type.Boolean({
      default: false,
      description: "true: with everything that lies in it. Otherwise only an empty bucket is deleted.",
    }),
  ),
});

export const NewBucketCredential = Closed({
  name: Type.String({
    minLength: 1,
    maxLength: 60,
    description: "For people to tell them apart.",
    examples: ["Website"],
  }),
  access: Type.Optional(Choice(accesses, "READ_WRITE when left out.")),
});
export type NewBucketCredential = Static<typeof NewBucketCredential>;

export const BucketCredentialWithSecret = Closed(
  {
    ...credentialFields,
    secretAccessKey: Type.String({
      description: "It is shown here alone.",
      examples: ["mJ0bTq4Yv8rXn2KpWc6ZsLdFhGu1Ea9oRiQy3Vt5"],
    }),
    endpoint: bucketFields.endpoint,
  },
  { title: "BucketCredentialWithSecret" },
);
export type BucketCredentialWithSecret = Static<typeof BucketCredentialWithSecret>;
