/** Every address of the dashboard. Links are made of these alone; `router.tsx` has the same ones with `$names`. */
export const paths = {
  home: "/",
  newService: (projectId?: string) => (projectId === undefined ? "/new" : `/new?project=${projectId}`),
  project: (id: string) => `/projects/${id}`,
  service: (id: string) => `/services/${id}`,
  serviceDeployments: (id: string) => `/services/${id}/deployments`,
  serviceLogs: (id: string) => `/services/${id}/logs`,
  serviceEnv: (id: string) => `/services/${id}/env`,
  serviceSettings: (id: string) => `/services/${id}/settings`,
  deployment: (id: string) => `/deployments/${id}`,
  activity: "/activity",
  audit: "/audit",
  members: "/members",
  keys: "/keys",
  settings: "/settings",
  profile: "/profile",
  signIn: (next?: string) =>
    next === undefined || next === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(next)}`,
  forgotPassword: "/forgot-password",
} as const;
