import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** For `npx vite dashboard`: a Ksar that runs here, with its session cookie. */
const controlPlane = process.env.KSAR_URL ?? "http://localhost:4000";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  server: { proxy: { "^/(api|v1|docs)(/|$)": { target: controlPlane } } },
  build: {
    target: "es2023",
    // The policy of the served page allows files of its own origin alone, so nothing may become a `data:` address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
