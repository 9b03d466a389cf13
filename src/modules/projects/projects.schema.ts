import { type Static, Type } from "typebox";
import { slugPattern } from "../../kernel/slug.ts";
import { Closed, Nullable } from "../../operation/schema.ts";

const name = Type.String({ minLength: 1, maxLength: 80 });
const slug = Type.String({
  pattern: slugPattern,
  description: "Unique in the account; made of the name when left out.",
});
const description = Nullable(Type.String({ maxLength: 500, examples: ["What customers see"] }));

export const Project = Closed(
  {
    id: Type.String(),
    name: Type.String(),
    slug: Type.String(),
    description: Nullable(Type.String({ examples: ["What customers see"] })),
    serviceCount: Type.Integer({ description: "How many services it holds.", examples: [2] }),
  },
  { title: "Project" },
);
export type Project = Static<typeof Project>;

export const ProjectResponse = Closed({ project: Project });

export const NewProject = Closed({ name, slug: Type.Optional(slug), description: Type.Optional(description) });
export type NewProject = Static<typeof NewProject>;

export const ProjectChanges = Closed(
  { name: Type.Optional(name), slug: Type.Optional(slug), description: Type.Optional(description) },
  { minProperties: 1 },
);
export type ProjectChanges = Static<typeof ProjectChanges>;
