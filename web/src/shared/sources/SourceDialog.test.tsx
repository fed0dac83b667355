import { expect, test } from 'bun:test';
import { fireEvent, screen } from '@testing-library/react';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import { SourceDialog } from './SourceDialog.tsx';

async function open() {
  answerCalls({ '/api/session': { result: 0, 'is-hardware': false, 'feature-support': 0, user: {} } });
  renderPage(
    <SourceDialog
      {...{ title: 'Add input', verb: 'Add input', protocols: ['srt', 'rtmp', 'udp'], isInput: true }}
      {...{ stored: undefined, queryKey: ['inputs'], reveal: undefined }}
      save={async () => {}}
      onClose={() => {}}
    />,
  );
  return screen.findByLabelText('Host');
}

const paste = (field: HTMLElement, text: string) => fireEvent.paste(field, { clipboardData: { getData: () => text } });

test('a URL that is pasted as the host fills in the form, also that of another protocol', async () => {
  const host = await open();
  // `fireEvent` returns false if the browser must not paste.
  expect(paste(host, ' srt://10.0.0.5:9000?streamid=abc ')).toBe(false);
  expect(host).toHaveProperty('value', '10.0.0.5');
  expect(screen.getByLabelText('Port')).toHaveProperty('value', '9000');
  expect(screen.getByLabelText('Stream ID')).toHaveProperty('value', 'abc');
  paste(host, 'rtmp://live.example/app/key-1');
  expect(await screen.findByLabelText('Server')).toHaveProperty('value', 'rtmp://live.example/app');
  expect(screen.getByLabelText('Stream key')).toHaveProperty('value', 'key-1');
});

test('other text, and text for other fields, is pasted as usual', async () => {
  const host = await open();
  expect(paste(host, '10.0.0.5')).toBe(true);
  expect(paste(screen.getByLabelText('Name'), 'srt://10.0.0.5:9000')).toBe(true);
  expect(host).toHaveProperty('value', '');
});
