import { expect, test } from 'bun:test';
import { fireEvent, screen } from '@testing-library/react';
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
