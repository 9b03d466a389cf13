// Rendered for each request, not once at the build.
export const dynamic = "force-dynamic";

export default function Page() {
  return (
    <main>
      <h1>Hello from Next.js</h1>
      <p>Rendered at {new Date().toISOString()}.</p>
    </main>
  );
}
