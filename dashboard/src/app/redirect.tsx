import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";

/**
 * Once, whatever renders meanwhile: the address changes while the next page still loads, and the router's own `Navigate`
 * would set out again at each render.
 */
export function Redirect({ to }: { readonly to: string }) {
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    void navigate({ to, replace: true });
  }, []);
  return null;
}
