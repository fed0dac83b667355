import { expect, test } from 'bun:test';
import { useQuery } from '@tanstack/react-query';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { queryClient } from '../../api/query-client.ts';
import { renderPage } from '../render-for-test.tsx';
import { useEditedForm } from './useEditedForm.ts';

interface Server {
  readonly name: string;
  readonly host: string;
  readonly revision: number;
}
const queryKey = ['edited-form-test'];

function Form({ hub }: { hub: FakeHub }) {
  const { data } = useQuery({ queryKey, queryFn: async () => hub.stored });
  return data && <Fields hub={hub} server={data} />;
}

function Fields({ hub, server }: { hub: FakeHub; server: Server }) {
  const { form, edit } = useEditedForm<Server, { name: string; host: string }>({
    ...{ now: server, revision: server.revision, queryKey },
    valuesOf: (of) => ({ name: of?.name ?? '', host: of?.host ?? '' }),
    check: () => ({}),
  });
  const save = async () => {
    const call = { ...form.getValues(), revision: edit.basis() };
    edit.follow(await hub.save(call));
  };
  return (
    <>
      <input aria-label="Name" {...form.getInputProps('name')} />
      <input aria-label="Host" {...form.getInputProps('host')} />
      <button type="button" onClick={() => void save()}>
        Save
      </button>
      <button type="button" onClick={() => form.reset()}>
        Discard
      </button>
      <output>{form.isDirty() ? 'unsaved' : 'saved'}</output>
    </>
  );
}

/** Answers a save call when the test says so, and stores names in capitals. */
class FakeHub {
  stored: Server = { name: 'ONE', host: 'a.example', revision: 1 };
  readonly calls: object[] = [];
  #answer = Promise.withResolvers<number>();

  save(call: { name: string; host: string }): Promise<number> {
    this.calls.push(call);
    this.stored = { ...call, name: call.name.toUpperCase(), revision: this.stored.revision + 1 };
    this.#answer = Promise.withResolvers();
    return this.#answer.promise;
  }

  answer(): Promise<void> {
    return act(async () => this.#answer.resolve(this.stored.revision));
  }
}

const value = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;
const type = (label: string, text: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value: text } });
const press = (text: string) => fireEvent.click(screen.getByText(text));

async function saving(): Promise<FakeHub> {
  const hub = new FakeHub();
  renderPage(<Form hub={hub} />);
  await screen.findByLabelText('Name');
  type('Name', 'two');
  press('Save');
  return hub;
}

test('a field that is edited while the form is being saved keeps its value, which can be saved or discarded', async () => {
  const hub = await saving();
  type('Host', 'b.example');
  await hub.answer();
  await waitFor(() => expect(value('Name')).toBe('TWO'));
  expect(value('Host')).toBe('b.example');
  screen.getByText('unsaved');
  press('Save');
  expect(hub.calls[1]).toEqual({ name: 'TWO', host: 'b.example', revision: 2 });
  await hub.answer();
  await screen.findByText('saved');
  type('Host', 'c.example');
  press('Discard');
  expect([value('Name'), value('Host')]).toEqual(['TWO', 'b.example']);
});

test('the same field, edited again while it is being saved, keeps the newer value', async () => {
  const hub = await saving();
  type('Name', 'three');
  await hub.answer();
  await screen.findByText('unsaved');
  expect(value('Name')).toBe('three');
  press('Discard');
  await waitFor(() => expect(value('Name')).toBe('TWO'));
});

test('changes of others are loaded into all fields, also after a save that had no answer', async () => {
  const hub = await saving();
  press('Discard');
  hub.stored = { name: 'FOUR', host: 'd.example', revision: 5 };
  await act(() => queryClient.invalidateQueries({ queryKey }));
  await waitFor(() => expect([value('Name'), value('Host')]).toEqual(['FOUR', 'd.example']));
});
