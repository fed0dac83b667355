import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import { SourceDialog } from './SourceDialog.tsx';

async function open(isInput = true) {
  answerCalls({ '/api/session': { result: 0, 'is-hardware': false, 'feature-support': 0, user: {} } });
  renderPage(
    <SourceDialog
      {...{ title: 'Add input', verb: 'Add input', protocols: isInput ? ['srt', 'rtmp', 'udp'] : ['rtmp'], isInput }}
      {...{ stored: undefined, queryKey: ['inputs'], reveal: undefined }}
      save={async () => {}}
      onClose={() => {}}
    />,
  );
  return screen.findByLabelText(isInput ? 'Host' : 'Server');
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

test('a service fills in its server and leads to the page of its key', async () => {
  const server = await open(false);
  const service = await screen.findByLabelText('Service');
  fireEvent.change(service, { target: { value: 'youtube' } });
  expect(server).toHaveProperty('value', 'rtmps://a.rtmps.youtube.com:443/live2');
  fireEvent.change(screen.getByLabelText('Ingest server'), { target: { value: 'rtmp://a.rtmp.youtube.com/live2' } });
  expect(server).toHaveProperty('value', 'rtmp://a.rtmp.youtube.com/live2');
  const link = screen.getByRole('link', { name: 'Get the stream key at YouTube' });
  expect(link.getAttribute('href')).toBe('https://www.youtube.com/live_dashboard');
  // Douyin has no server that is the same for all streams.
  fireEvent.change(service, { target: { value: 'douyin' } });
  expect(server).toHaveProperty('value', '');
  expect(screen.getByText(/a server of its own/)).toBeTruthy();
  fireEvent.change(server, { target: { value: 'rtmp://live.example/app' } });
  expect(service).toHaveProperty('value', 'douyin');
});

test('a copy is filled in; its stored password may stay blank', async () => {
  const config = { url: 'rtmp://live.example/app', key: 'key-1', 'enable-auth': true, username: 'me' };
  const copy = {
    ...{ id: 3, name: 'CDN copy', protocol: 1, revision: 4 },
    config: { ...config, 'password-set': true },
  };
  const saved: unknown[] = [];
  answerCalls({ '/api/session': { result: 0, 'is-hardware': false, 'feature-support': 0, user: {} } });
  renderPage(
    <SourceDialog
      {...{ title: 'Copy', verb: 'Add output', protocols: ['srt', 'rtmp'], isInput: false, copy }}
      {...{ stored: undefined, queryKey: ['outputs'], reveal: undefined }}
      save={async (source) => void saved.push(source)}
      onClose={() => {}}
    />,
  );
  expect(await screen.findByLabelText('Name')).toHaveProperty('value', 'CDN copy');
  expect(screen.getByText(/^Secrets left blank are taken from the original/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Add output' }));
  await waitFor(() => expect(saved).toEqual([{ name: 'CDN copy', config, revision: undefined }]));
});
