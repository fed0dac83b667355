import { useHas } from '../../api/session.ts';
import { addTexts } from '../../i18n/i18n.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { FileSettings } from './FileSettings.tsx';
import { InvitationSettings } from './InvitationSettings.tsx';
import { LanguageSettings } from './LanguageSettings.tsx';
import { MailSettings } from './MailSettings.tsx';
import { OutgoingSettings } from './OutgoingSettings.tsx';
import { PasswordRuleSettings } from './PasswordRuleSettings.tsx';
import { RtmpSettings } from './RtmpSettings.tsx';
import { SessionSettings } from './SessionSettings.tsx';
import { SignInSettings } from './SignInSettings.tsx';
import { SrtSettings } from './SrtSettings.tsx';
import { UpgradeRateSettings } from './UpgradeRateSettings.tsx';
import type { SettingsProps } from './useSettingsGroup.ts';
import { WebhookSettings } from './WebhookSettings.tsx';
import { WebSettings } from './WebSettings.tsx';

const HostNameSettings = deferredPart(async () => {
  const [part] = await Promise.all([import('./HostNameSettings.tsx'), addTexts('appliance')]);
  return part;
});
const TimeSettings = deferredPart(async () => {
  const [part] = await Promise.all([import('./TimeSettings.tsx'), addTexts('appliance')]);
  return part;
});
const DeviceAlarmSettings = deferredPart(() => import('./DeviceAlarmSettings.tsx'));

/** The groups after the first one: a separate chunk, so that they do not delay the page. */
export default function FurtherSettings({ settings }: SettingsProps) {
  const hasDevices = useHas('devices');
  const isAppliance = useHas('hardware');
  return (
    <>
      {isAppliance && <HostNameSettings />}
      {isAppliance && <TimeSettings />}
      {hasDevices && <InvitationSettings settings={settings} />}
      <SessionSettings settings={settings} />
      <PasswordRuleSettings settings={settings} />
      <SignInSettings settings={settings} />
      <LanguageSettings settings={settings} />
      <SrtSettings settings={settings} />
      <RtmpSettings settings={settings} />
      <WebSettings settings={settings} />
      <OutgoingSettings settings={settings} />
      {hasDevices && <DeviceAlarmSettings />}
      {hasDevices && <UpgradeRateSettings settings={settings} />}
      <WebhookSettings />
      <MailSettings settings={settings} />
      <FileSettings />
    </>
  );
}
