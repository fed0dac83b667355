import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import type { Input } from '../../../../daemon/contract/inputs.ts';
import { isOnAir, nodeTypes, protocolOf } from '../../../../daemon/contract/streams.ts';
import { faultText } from '../../i18n/result-text.ts';
import { inputsQuery } from '../../shared/inputs/input-calls.ts';
import { Thumbnail } from '../../shared/preview/Thumbnail.tsx';
import { shownAddress } from '../../shared/sources/shown-address.ts';
import { channelsQuery } from '../../shared/streams/channels-query.ts';
import { RateCell } from '../../shared/streams/RateCell.tsx';
import { connectionLook } from '../../shared/streams/state-look.ts';
import { LookMark } from '../../ui/data/StateMark.tsx';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { showToast, showUndo } from '../../ui/feedback/toasts.ts';
import { Choice, ChoiceNote, Choices, ChoicesNote } from '../../ui/form/Choices.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { setChannelInput } from './channel-calls.ts';
import { type InputUse, usesOfInputs } from './input-uses.ts';
import { losersText } from './losers-text.ts';

/** More inputs than this can be filtered by name and address. */
const filteredFrom = 8;

interface InputChoiceDialogProps {
  readonly channel: Channel;
  readonly onClose: () => void;
}

/** Chooses the main input of a channel. Nothing changes before the button is pressed. */
export default function InputChoiceDialog({ channel, onClose }: InputChoiceDialogProps) {
  const { t } = useLingui();
  const current = (channel.failover?.main ?? channel.input).id;
  const [chosen, setChosen] = useState(current);
  const act = useSwitchInput(channel, onClose);
  const losers = isOnAir(channel.state) ? losersText(channel) : undefined;
  const isChange = chosen !== current;
  return (
    <Dialog title={t`Change input of “${channel.name}”`} size={560} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isChange) act.mutate(chosen);
        }}
      >
        <Stack gap="sm">
          <Options channel={channel} current={current} chosen={chosen} onChoose={setChosen} />
          {losers !== undefined && (
            <Banner tone="warn" title={losers}>
              <Trans>They get the stream again once the new input delivers it.</Trans>
            </Banner>
          )}
          {act.error !== null && <ActFault error={act.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button
              type="submit"
              loading={act.isPending}
              disabled={!isChange}
              {...(losers !== undefined && { color: 'fault' })}
            >
              <Trans>Switch input</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Switches the main input; the message afterwards can take it back. */
function useSwitchInput({ id, name, failover, input: onAir }: Channel, onDone: () => void) {
  const { t, i18n } = useLingui();
  const { id: before } = failover?.main ?? onAir;
  return useMutation({
    mutationFn: (input: number) => setChannelInput({ id, input }),
    onSuccess({ revision }) {
      onDone();
      // With the revision, so that it does not undo what somebody else has changed since.
      const undo = () =>
        void setChannelInput({ id, input: before, revision })
          .then(() => showToast('success', t`“${name}” is back on its previous input.`, code))
          .catch((error: unknown) => showToast('error', `${name}: ${faultText(i18n, error)}`, code));
      const code = `input-${id}`;
      showUndo(t`The input of “${name}” was changed.`, undo, code);
    },
  });
}

interface OptionsProps {
  readonly channel: Channel;
  readonly current: number;
  readonly chosen: number;
  readonly onChoose: (id: number) => void;
}

function Options({ channel, current, chosen, onChoose }: OptionsProps) {
  const { t } = useLingui();
  const [filter, setFilter] = useState('');
  const { data: all = [], isSuccess } = useQuery(inputsQuery);
  const inputs = all.filter(({ id }) => id !== channel.failover?.backup.id);
  const main = channel.failover?.main ?? channel.input;
  const uses = usesOfInputs(useQuery(channelsQuery).data ?? []);
  const wanted = filter.trim().toLowerCase();
  const isShown = ({ name, config }: Input) => `${name} ${shownAddress(config)}`.toLowerCase().includes(wanted);
  const shown = inputs.filter((input) => input.id === chosen || isShown(input));
  const option = (id: number) => ({ isCurrent: id === current, isChosen: id === chosen, onChoose: () => onChoose(id) });
  return (
    <>
      {inputs.length > filteredFrom && (
        <TextInput
          aria-label={t`Filter inputs`}
          placeholder={t`Filter by name or address`}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
      )}
      <Choices label={t`Input`}>
        <Option name={t`Encoder push (channel key)`} address="" use={pushUse(channel)} {...option(0)} />
        {main.type === nodeTypes.inputDevice && (
          <Option name={main.name} address={t`Device`} use={uses.get(main.id)} {...option(main.id)} />
        )}
        {shown.map((input) => (
          <Option
            key={input.id}
            name={input.name}
            address={`${protocolOf(input.protocol)?.toUpperCase() ?? ''} · ${shownAddress(input.config)}`}
            use={uses.get(input.id)}
            {...option(input.id)}
          />
        ))}
        {isSuccess && inputs.length === 0 && (
          <ChoicesNote>
            <Trans>No inputs yet. Add them on the Inputs page.</Trans>
          </ChoicesNote>
        )}
      </Choices>
    </>
  );
}

/** The encoder that sends to the channel itself. */
function pushUse(channel: Channel): InputUse | undefined {
  const input = channel.failover?.main ?? channel.input;
  if (input.id !== 0) return undefined;
  return { channel, input, isOnAir: isOnAir(channel.state) && channel.input.role === input.role };
}

interface OptionProps {
  readonly name: string;
  readonly address: string;
  readonly use: InputUse | undefined;
  readonly isCurrent: boolean;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Option({ name, address, use, isCurrent, isChosen, onChoose }: OptionProps) {
  return (
    <Choice
      group="input"
      {...{ isChosen, onChoose, name }}
      takesFocus={isChosen}
      picture={use?.isOnAir && <Thumbnail channel={use.channel} />}
      line={
        <>
          {isCurrent && <Trans>Current input</Trans>}
          {isCurrent && address !== '' && ' · '}
          {address}
        </>
      }
      title={address}
      status={
        use === undefined ? (
          <ChoiceNote>{!isCurrent && address !== '' && <Trans>Not in use</Trans>}</ChoiceNote>
        ) : (
          <>
            <LookMark look={connectionLook(use.input['conn-state'])} />
            {use.input.kbps > 0 && <RateCell kbps={use.input.kbps} />}
          </>
        )
      }
    />
  );
}
