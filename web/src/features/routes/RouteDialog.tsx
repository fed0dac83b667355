import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect, TextInput } from '@mantine/core';
import type { Route, RouteInterface } from '../../../../daemon/contract/routes.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { followTrial } from '../../shared/confirmed-change/follow-trial.ts';
import { FormDialog } from '../../shared/editing/DialogForm.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import { interfaceText } from './interface-text.ts';
import { addRoute, changeRoute } from './route-calls.ts';
import { checkRoute, type RouteValues, routeBody, routeValues } from './route-form.ts';

interface RouteDialogProps {
  /** Undefined for a new one. */
  readonly route: Route | undefined;
  readonly routes: readonly Route[];
  readonly interfaces: readonly RouteInterface[];
  readonly onClose: () => void;
}

export default function RouteDialog({ route, routes, interfaces, onClose }: RouteDialogProps) {
  const { t, i18n } = useLingui();
  const { comma } = useFormat();
  const others = routes.filter(({ id }) => id !== route?.id);
  const usual = interfaces.find(({ addresses }) => addresses.length > 0) ?? interfaces[0];
  const fields = useSchemaForm<RouteValues>({
    initial: routeValues(route, usual?.id ?? ''),
    check: (values) => checkRoute(values, others),
  });
  const { form } = fields;
  const addresses = interfaces.find(({ id }) => id === form.values.interface)?.addresses.join(comma);
  const save = async (values: RouteValues) => {
    const body = routeBody(values);
    const { destination } = body;
    const answer = await (route === undefined ? addRoute(body) : changeRoute({ id: route.id, ...body }));
    if (followTrial('routes', answer)) showToast('success', t`The route to ${destination} was saved.`);
  };
  return (
    <FormDialog
      title={route === undefined ? t`Add route` : t`Edit route to ${route.destination}`}
      fields={fields}
      save={save}
      verb={route === undefined ? <Trans>Add route</Trans> : <Trans>Save</Trans>}
      onClose={onClose}
    >
      <TextInput
        label={t`Destination address`}
        description={t`A network with the length of its prefix, or the address of one host.`}
        placeholder="10.20.0.0/16"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('destination')}
      />
      <NativeSelect
        label={t`Interface`}
        description={addresses ? t`Its address: ${addresses}` : t`It has no address at present.`}
        data={interfaces.map(({ id }) => ({ value: id, label: interfaceText((text) => i18n._(text), id) }))}
        {...form.getInputProps('interface')}
      />
      <TextInput
        label={t`Gateway`}
        description={t`The router in the network of the interface that leads to the destination.`}
        placeholder="192.168.1.254"
        spellCheck={false}
        {...form.getInputProps('gateway')}
      />
    </FormDialog>
  );
}
