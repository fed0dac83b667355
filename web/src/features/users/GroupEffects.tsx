import { Trans, useLingui } from '@lingui/react/macro';
import { useVariant } from '../../api/session.ts';
import { permissionNames } from '../../i18n/permission-text.ts';
import { SaveFault } from '../../shared/editing/SaveFault.tsx';
import { namesOf } from '../../shared/users/permission-set.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import type { GroupForm } from './useGroupForm.ts';

/** The effects of saving on users, and the fault if saving failed. */
export default function GroupEffects({ edited: { form, base, save, edit } }: { edited: GroupForm }) {
  const { i18n } = useLingui();
  const variant = useVariant();
  const { values, errors } = form;
  const taken = namesOf(base.permissions & ~values.permissions, variant);
  const leaving = base.users.filter((name) => !values.users.includes(name));
  return (
    <>
      {taken.length > 0 && base.users.length > 0 && (
        <Banner tone="warn" title={<Trans>Members must sign in again</Trans>}>
          <Trans>They will lose these permissions: {permissionNames(i18n, taken.join(', '))}.</Trans>
        </Banner>
      )}
      {leaving.length > 0 && (
        <Banner tone="warn" title={<Trans>{leaving.join(', ')}: moves to the group Viewer</Trans>} />
      )}
      <SaveFault error={save.error} errors={errors} edit={edit} />
    </>
  );
}
