import { Trans, useLingui } from '@lingui/react/macro';
import { ActionIcon, Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { NdiSalvo } from '../../../../../daemon/contract/ndi-router.ts';
import { SalvoName } from '../../../../../daemon/contract/ndi-router-fields.ts';
import { FormDialog } from '../../../shared/editing/DialogForm.tsx';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { faultAt } from '../../../ui/form/schema-form.ts';
import { useEditedForm } from '../../../ui/form/useEditedForm.ts';
import { shownInputs } from '../MatrixTab.tsx';
import styles from '../NdiRouter.module.css';
import { addSalvo, changeSalvo, type Router, salvosQuery } from '../router-query.ts';
import { inputText, outputText } from '../router-text.ts';

interface SalvoDialogProps {
  /** Undefined for a new salvo, which starts with the current routes. */
  readonly salvo: NdiSalvo | undefined;
  readonly router: Router;
  readonly onClose: () => void;
}

type Route = NdiSalvo['routes'][number];

interface SalvoValues {
  readonly name: string;
  readonly isAllOrNothing: boolean;
  readonly routes: readonly Route[];
}

export default function SalvoDialog({ salvo, router, onClose }: SalvoDialogProps) {
  const { t } = useLingui();
  const fields = useEditedForm<NdiSalvo, SalvoValues>({
    ...{ now: salvo, revision: salvo?.revision, queryKey: salvosQuery.queryKey },
    valuesOf: (of) => ({
      ...{ name: of?.name ?? '', isAllOrNothing: of?.policy === 'allOrNothing' },
      routes: of?.routes ?? [...router.outputs.values()].map((output) => ({ out: output.id, in: output.in })),
    }),
    check: ({ name, routes }) => ({
      ...faultAt('name', SalvoName, name.trim()),
      ...(routes.length === 0 && { routes: 'required' }),
    }),
  });
  const { form, edit } = fields;
  const save = async (values: SalvoValues) => {
    const name = values.name.trim();
    const policy = values.isAllOrNothing ? ('allOrNothing' as const) : ('skipLocked' as const);
    const body = { name, policy, routes: [...values.routes] };
    if (salvo === undefined) await addSalvo(body);
    else await changeSalvo({ id: salvo.id, ...body, revision: edit.basis() });
    showToast('success', salvo === undefined ? t`“${name}” was added.` : t`“${name}” was saved.`);
  };
  const { routes } = form.values;
  const setRoutes = (next: readonly Route[]) => form.setFieldValue('routes', next);
  return (
    <FormDialog
      title={salvo === undefined ? t`Add salvo` : t`Edit salvo “${salvo.name}”`}
      size={600}
      fields={fields}
      save={save}
      verb={salvo === undefined ? <Trans>Add salvo</Trans> : <Trans>Save</Trans>}
      onClose={onClose}
    >
      <TextInput label={t`Name`} data-autofocus autoComplete="off" {...form.getInputProps('name')} />
      <Routes router={router} routes={routes} change={setRoutes} error={form.errors.routes} />
      <AddRoute router={router} add={(route) => setRoutes(withRoute(routes, route))} />
      <Checkbox
        label={t`All or nothing`}
        description={t`If an output is locked or refused, none is switched. Otherwise locked outputs are skipped.`}
        {...form.getInputProps('isAllOrNothing', { type: 'checkbox' })}
      />
    </FormDialog>
  );
}

/** Returns the routes in the order of the outputs, one per output. */
function withRoute(routes: readonly Route[], route: Route): Route[] {
  return [...routes.filter(({ out }) => out !== route.out), route].toSorted((a, b) => a.out - b.out);
}

interface RoutesProps {
  readonly router: Router;
  readonly routes: readonly Route[];
  readonly change: (routes: readonly Route[]) => void;
  readonly error: unknown;
}

function Routes({ router, routes, change, error }: RoutesProps) {
  const { t } = useLingui();
  const outputName = (out: number) => {
    const output = router.outputs.get(out);
    return output ? `${out} · ${outputText(output)}` : String(out);
  };
  const sourceName = (id: number | null) => {
    const input = id === null ? undefined : router.inputs.get(id);
    return input ? inputText(input) : t`None`;
  };
  if (routes.length === 0) {
    return (
      <p className={styles.hint} role={error ? 'alert' : undefined}>
        <Trans>The salvo has no outputs. Add at least one.</Trans>
      </p>
    );
  }
  return (
    <ul className={styles.routes} aria-label={t`Routes`}>
      {routes.map((route) => {
        const name = outputName(route.out);
        return (
          <li key={route.out}>
            <span>
              {name} ← {sourceName(route.in)}
            </span>
            <ActionIcon
              aria-label={t`Remove ${name}`}
              size={36}
              onClick={() => change(routes.filter(({ out }) => out !== route.out))}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </li>
        );
      })}
    </ul>
  );
}

function AddRoute({ router, add }: { router: Router; add: (route: Route) => void }) {
  const { t } = useLingui();
  const outputs = [...router.outputs.values()];
  const [out, setOut] = useState(String(outputs[0]?.id ?? ''));
  const [source, setSource] = useState('');
  if (outputs.length === 0) return null;
  return (
    <div className={styles.addRoute}>
      <NativeSelect
        label={t`Output`}
        data={outputs.map((output) => ({ value: String(output.id), label: `${output.id} · ${outputText(output)}` }))}
        value={out}
        onChange={(event) => setOut(event.currentTarget.value)}
      />
      <NativeSelect
        label={t`Source`}
        data={[
          { value: '', label: t`None` },
          ...shownInputs(router).map((input) => ({
            value: String(input.id),
            label: `${input.id} · ${inputText(input)}`,
          })),
        ]}
        value={source}
        onChange={(event) => setSource(event.currentTarget.value)}
      />
      <Button
        variant="default"
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={() => add({ out: Number(out), in: source === '' ? null : Number(source) })}
      >
        <Trans>Set</Trans>
      </Button>
    </div>
  );
}
