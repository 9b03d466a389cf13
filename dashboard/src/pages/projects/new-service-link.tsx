import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { commonMessages } from "../../app/common.messages.ts";
import { useRights } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button, buttonClass } from "../../ui/button.tsx";

/** To the form for one; where the role lacks it, a button that says so. */
export function NewServiceLink({ projectId }: { readonly projectId?: string }) {
  const t = useMessages(commonMessages);
  const { refused } = useRights();
  const refusal = refused("services.create");
  const icon = <Plus className="size-4" aria-hidden />;
  if (refusal !== null)
    return (
      <Button variant="primary" refused={refusal} icon={icon}>
        {t.nav.newService}
      </Button>
    );
  return (
    <Link to={paths.newService(projectId)} className={buttonClass("primary")}>
      {icon}
      {t.nav.newService}
    </Link>
  );
}
