/** Words for the actions of the operation log. One of a later hub is shown as it is. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';

const text: Readonly<Record<string, MessageDescriptor>> = {
  'session.start': msg`Signed in`,
  'session.end': msg`Signed out`,
  'setup.finish': msg`Set up the hub`,
  'settings.set': msg`Changed settings`,
  'channel.add': msg`Added a channel`,
  'channel.set': msg`Changed a channel`,
  'channel.del': msg`Deleted a channel`,
  'channel.enable': msg`Started a channel`,
  'channel.disable': msg`Stopped a channel`,
  'channel.setInput': msg`Chose the input of a channel`,
  'channel.addOutput': msg`Gave a channel an output`,
  'channel.delOutput': msg`Took an output from a channel`,
  'channel.enableOutput': msg`Switched an output`,
  'input.add': msg`Added an input`,
  'input.set': msg`Changed an input`,
  'input.del': msg`Deleted an input`,
  'output.add': msg`Added an output`,
  'output.set': msg`Changed an output`,
  'output.del': msg`Deleted an output`,
  'user.add': msg`Added a user`,
};

export function operationText(i18n: I18n, action: string): string {
  const known = text[action];
  return known === undefined ? action : i18n._(known);
}
