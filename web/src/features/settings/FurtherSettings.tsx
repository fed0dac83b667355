import { WebhookSettings } from '../alarms/WebhookSettings.tsx';
import { InvitationSettings } from './InvitationSettings.tsx';
import { LanguageSettings } from './LanguageSettings.tsx';
import { OutgoingSettings } from './OutgoingSettings.tsx';
import { PasswordRuleSettings } from './PasswordRuleSettings.tsx';
import { SessionSettings } from './SessionSettings.tsx';
import { SignInSettings } from './SignInSettings.tsx';
import type { SettingsProps } from './useSettingsGroup.ts';
import { WebSettings } from './WebSettings.tsx';

/** The groups below the first screen: a chunk of its own, so that they don't hold up what is seen first. */
export default function FurtherSettings({ settings }: SettingsProps) {
  return (
    <>
      <SessionSettings settings={settings} />
      <PasswordRuleSettings settings={settings} />
      <SignInSettings settings={settings} />
      <InvitationSettings settings={settings} />
      <LanguageSettings settings={settings} />
      <WebSettings settings={settings} />
      <OutgoingSettings settings={settings} />
      <WebhookSettings />
    </>
  );
}
