import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel } from '../../../../../daemon/contract/channels.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { devicePreviewId } from '../../../../../daemon/contract/preview-stream.ts';
import { deferredPart } from '../../../lib/lazy-part.tsx';
import { LookMark } from '../../../ui/data/StateMark.tsx';
import { ActFault } from '../../../ui/feedback/ActFault.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { Choice, ChoiceNote, Choices, ChoicesNote } from '../../../ui/form/Choices.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import thumbnail from '../../preview/Thumbnail.module.css';
import { connectDevice, deviceChoices, shownChoices, type Way } from '../connect-call.ts';
import { deviceLooks, reasonsOf, stateOf } from '../device-look.ts';
import { unconnectable } from '../unconnectable.ts';

const ThumbnailPicture = deferredPart(() => import('../../preview/ThumbnailPicture.tsx'));

interface DeviceChoiceDialogProps {
  readonly channel: Channel;
  readonly dir: Way;
  /** Says who loses the stream when the input changes; undefined without receivers. */
  readonly losers: string | undefined;
  readonly onClose: () => void;
}

/** Chooses a device that sends to the channel, or plays it: the hub sets it up. */
export default function DeviceChoiceDialog({ channel, dir, losers, onClose }: DeviceChoiceDialogProps) {
  const { t } = useLingui();
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<Device>();
  const { data } = useQuery(deviceChoices(dir, search));
  const isInput = dir === 'input';
  const act = useMutation({
    mutationFn: ({ sn }: Device) => connectDevice({ sn, channel: channel.id, dir, force: true }),
    onSuccess(_, { name }) {
      onClose();
      showToast('success', isInput ? t`“${name}” sends to this channel.` : t`“${name}” plays this channel.`);
    },
  });
  const hidden = (data?.total ?? 0) - shownChoices;
  return (
    <Dialog
      title={isInput ? t`Use a device as input of “${channel.name}”` : t`Send “${channel.name}” to a decoder`}
      size={560}
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen !== undefined && !act.isPending) act.mutate(chosen);
        }}
      >
        <Stack gap="sm">
          <TextInput
            aria-label={t`Search devices`}
            placeholder={t`Search by name or serial number`}
            data-autofocus
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
          <Choices label={t`Device`} isSteady>
            {data?.list.map((device) => (
              <DeviceChoice
                key={device.sn}
                {...{ device, dir, channel: channel.id }}
                isChosen={device.sn === chosen?.sn}
                onChoose={() => setChosen(device)}
              />
            ))}
            {data?.total === 0 && (
              <ChoicesNote>
                {search !== '' && <Trans>No device matches.</Trans>}
                {search === '' && isInput && <Trans>No encoders yet. Add them on the Devices page.</Trans>}
                {search === '' && !isInput && <Trans>No decoders yet. Add them on the Devices page.</Trans>}
              </ChoicesNote>
            )}
            {hidden > 0 && (
              <ChoicesNote>
                <Plural value={hidden} one="# more device: search for it." other="# more devices: search for them." />
              </ChoicesNote>
            )}
          </Choices>
          <Consequence {...{ channel, dir, losers, chosen }} />
          {act.error !== null && <ActFault error={act.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button
              type="submit"
              loading={act.isPending}
              disabled={chosen === undefined}
              {...(isInput && losers !== undefined && { color: 'fault' })}
            >
              {isInput ? <Trans>Use as input</Trans> : <Trans>Send to it</Trans>}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** What ends when the chosen device is connected. */
function Consequence({
  channel,
  dir,
  losers,
  chosen,
}: Omit<DeviceChoiceDialogProps, 'onClose'> & { chosen: Device | undefined }) {
  if (chosen === undefined) return null;
  const { name } = chosen;
  const other = usesOf(chosen, dir).find(({ id }) => id !== channel.id)?.name;
  return (
    <>
      {dir === 'input' && losers !== undefined && (
        <Banner tone="warn" title={losers}>
          <Trans>They get the stream again once the device delivers it.</Trans>
        </Banner>
      )}
      {other !== undefined && (
        <Banner
          tone="warn"
          title={
            dir === 'input' ? (
              <Trans>
                “{name}” stops sending to “{other}”.
              </Trans>
            ) : (
              <Trans>
                “{name}” stops playing “{other}”.
              </Trans>
            )
          }
        >
          <Trans>A device uses one channel at a time.</Trans>
        </Banner>
      )}
    </>
  );
}

function usesOf(device: Device, dir: Way) {
  const [names, ids] = dir === 'input' ? (['owner-i', 'owner-i-d'] as const) : (['owner-o', 'owner-o-d'] as const);
  return (device[ids] ?? []).map((id, at) => ({ id, name: device[names]?.[at] ?? '' }));
}

interface DeviceChoiceProps {
  readonly device: Device;
  readonly dir: Way;
  readonly channel: number;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function DeviceChoice({ device, dir, channel, isChosen, onChoose }: DeviceChoiceProps) {
  const { t, i18n } = useLingui();
  const { sn, name } = device;
  const uses = usesOf(device, dir);
  const isOnline = device.connection === 'online';
  const [problem] = reasonsOf(device);
  const unavailable = () => {
    const cannot = unconnectable(device, dir);
    if (cannot !== undefined) return i18n._(cannot);
    if (uses.some(({ id }) => id === channel)) {
      return dir === 'input' ? t`It sends to this channel already` : t`It plays this channel already`;
    }
    if (isOnline) return undefined;
    return problem === undefined ? t`It is not connected` : i18n._(problem);
  };
  const reason = unavailable();
  const [use] = uses;
  return (
    <Choice
      group="device"
      {...{ isChosen, onChoose, name }}
      isDisabled={reason !== undefined}
      picture={
        <span className={thumbnail.box}>
          {isOnline && <ThumbnailPicture imageId={devicePreviewId(sn)} alt={t`Picture of ${name}`} />}
        </span>
      }
      line={reason ?? `${device['module-name']} · ${sn}`}
      status={
        <>
          <LookMark look={deviceLooks[stateOf(device)]} />
          {use !== undefined && use.id !== channel && (
            <ChoiceNote>
              {dir === 'input' ? <Trans>Sends to “{use.name}”</Trans> : <Trans>Plays “{use.name}”</Trans>}
            </ChoiceNote>
          )}
        </>
      }
    />
  );
}
