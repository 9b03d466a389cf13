import { Type } from "typebox";
import { Download } from "../../operation/download.ts";
import { defineOperation, type Operation } from "../../operation/operation.ts";
import { Closed } from "../../operation/schema.ts";
import { AuditExport, AuditExportQuery, AuditPage, AuditQuery } from "./audit.schema.ts";
import type { AuditService } from "./audit.service.ts";
import { csvExample, csvOf, jsonOf } from "./audit-export.ts";

export function auditOperations(audit: AuditService): Operation[] {
  const shared = { tag: "Audit", scope: "audit:read", access: "admin", method: "GET", status: 200 } as const;
  return [
    defineOperation({
      ...shared,
      id: "audit.list",
      path: "/audit",
      summary: "Read the audit log, newest first",
      query: AuditQuery,
      response: AuditPage,
      handle: ({ caller, query: { cursor, limit, ...filter } }) => audit.list(caller, filter, limit ?? 50, cursor),
    }),
    defineOperation({
      ...shared,
      id: "audit.entityTypes",
      path: "/audit/entity-types",
      summary: "List the entity types that the log has entries of",
      response: Closed({ data: Type.Array(Type.String(), { examples: [["api_key", "project", "service"]] }) }),
      handle: async ({ caller }) => ({ data: await audit.entityTypes(caller) }),
    }),
    defineOperation({
      ...shared,
      id: "audit.export",
      path: "/audit/export",
      summary: "Export the audit log as JSON or CSV",
      description: "CSV as of RFC 4180; a cell that a spreadsheet would take for a formula begins with an apostrophe.",
      query: AuditExportQuery,
      response: AuditExport,
      downloads: { "text/csv": csvExample },
      handle: async ({ caller, query: { format, ...filter } }) => {
        const pages = audit.pages(caller, filter, format ?? "json");
        return format === "csv"
          ? new Download({ contentType: "text/csv; charset=utf-8", fileName: "audit.csv", pieces: csvOf(pages) })
          : new Download({
              contentType: "application/json; charset=utf-8",
              fileName: "audit.json",
              pieces: jsonOf(pages),
            });
      },
    }),
  ];
}
