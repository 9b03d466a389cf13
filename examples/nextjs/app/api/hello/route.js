export function GET() {
  return Response.json({ hello: "from a route handler" });
}
