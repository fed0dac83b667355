import { Trans, useLingui } from '@lingui/react/macro';
import { Button, NativeSelect } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconPhotoUp, IconTrash } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { Channel } from '../../../../../daemon/contract/channels.ts';
import { limits } from '../../../../../daemon/contract/limits.ts';
import { addressOf } from '../../../api/client.ts';
import { FormFault } from '../../../ui/feedback/FormFault.tsx';
import { useUnsaved } from '../../../ui/form/unsaved.ts';
import styles from './FailoverDialog.module.css';
import type { FailoverValues } from './failover-form.ts';

/** What happens to the stored picture when the form is saved. */
export type ChosenPicture = 'kept' | 'removed' | File;

interface SlateFieldsProps {
  readonly channel: Channel;
  readonly form: UseFormReturnType<FailoverValues>;
  readonly picture: ChosenPicture;
  readonly onPicture: (picture: ChosenPicture) => void;
}

const types = ['image/png', 'image/jpeg'];
const slatePath = '/api/channel/slate/get';

/** What is shown when both inputs are lost. */
export function SlateFields({ channel, form, picture, onPicture }: SlateFieldsProps) {
  const { t } = useLingui();
  useUnsaved(picture !== 'kept');
  return (
    <>
      <NativeSelect
        label={t`If both inputs are lost`}
        data={[
          { value: 'none', label: t`Nothing (outputs wait)` },
          { value: 'bars', label: t`Color bars` },
          { value: 'picture', label: t`Picture` },
        ]}
        {...form.getInputProps('slate')}
      />
      {form.values.slate === 'picture' && (
        <PictureChoice
          channel={channel}
          picture={picture}
          onPicture={(next) => {
            form.clearFieldError('slate');
            onPicture(next);
          }}
        />
      )}
    </>
  );
}

function PictureChoice({ channel, picture, onPicture }: Omit<SlateFieldsProps, 'form'>) {
  const { t } = useLingui();
  const chooser = useRef<HTMLInputElement>(null);
  const [isRefused, setRefused] = useState(false);
  const source = useSource(channel, picture);
  const take = (file: File | undefined) => {
    if (file === undefined) return;
    const fits = types.includes(file.type) && file.size <= limits.slatePicture.maxBytes;
    setRefused(!fits);
    if (fits) onPicture(file);
  };
  return (
    <div className={styles.picture}>
      {source !== undefined && <img src={source} alt={t`Slate`} />}
      <div className={styles.pictureActs}>
        <input
          ref={chooser}
          type="file"
          hidden
          aria-label={t`Picture file`}
          accept={types.join()}
          onChange={(event) => take(event.currentTarget.files?.[0])}
        />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPhotoUp size={15} aria-hidden />}
          onClick={() => chooser.current?.click()}
        >
          {source === undefined ? <Trans>Choose a picture</Trans> : <Trans>Choose another picture</Trans>}
        </Button>
        {source !== undefined && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconTrash size={15} aria-hidden />}
            onClick={() => onPicture('removed')}
          >
            <Trans>Remove the picture</Trans>
          </Button>
        )}
        <p className={styles.hint}>
          <Trans>PNG or JPEG, at most 4 MB. It is scaled to the resolution of the stream.</Trans>
        </p>
      </div>
      {isRefused && (
        <FormFault>
          <Trans>The file must be a PNG or JPEG of at most 4 MB.</Trans>
        </FormFault>
      )}
    </div>
  );
}

/** URL of the preview: the chosen file, or the picture stored on the hub. */
function useSource(channel: Channel, picture: ChosenPicture): string | undefined {
  const [own, setOwn] = useState<string>();
  useEffect(() => {
    if (!(picture instanceof File)) return setOwn(undefined);
    const url = URL.createObjectURL(picture);
    setOwn(url);
    return () => URL.revokeObjectURL(url);
  }, [picture]);
  const version = channel.config['slate-picture'];
  if (picture !== 'kept' || version === undefined) return own;
  return addressOf(slatePath, { id: channel.id, v: version });
}
