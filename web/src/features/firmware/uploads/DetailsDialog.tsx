import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { familyOf } from '../../../../../daemon/contract/device-catalog.ts';
import type { Firmware, FirmwareProduct, StatedFirmware } from '../../../../../daemon/contract/firmware.ts';
import { FirmwareVersion, HardwareVersion, ProductId } from '../../../../../daemon/contract/firmware-fields.ts';
import { type NamedFirmware, readFirmwareName, testBuild } from '../../../../../daemon/contract/firmware-names.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { amountText } from '../../../lib/format.ts';
import { FormDialog } from '../../../shared/editing/DialogForm.tsx';
import { useFamilyText } from '../../../shared/firmware/family-text.ts';
import { Moment } from '../../../ui/data/Moment.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { faultAt, numberOf } from '../../../ui/form/schema-form.ts';
import { type SchemaForm, useSchemaForm } from '../../../ui/form/useSchemaForm.ts';
import styles from './DetailsDialog.module.css';
import { productOfName, sameVersion } from './questions.ts';

interface DetailsDialogProps {
  readonly file: File;
  readonly list: readonly Firmware[];
  readonly products: readonly FirmwareProduct[];
  readonly onAnswered: (stated: StatedFirmware) => void;
  readonly onClose: () => void;
}

interface Answers {
  /** Id, or `other`. */
  readonly product: string;
  readonly otherId: string;
  readonly hardware: string;
  readonly version: string;
  readonly isPreRelease: boolean;
  readonly isAccepted: boolean;
}

const other = 'other';

/** Asks what the name of a file does not say, for the declaration of a pre-release, and before a file is replaced. */
export default function DetailsDialog({ file, list, products, onAnswered, onClose }: DetailsDialogProps) {
  const { t } = useLingui();
  const named = readFirmwareName(file.name);
  const isKnown = named.firmwareId !== undefined;
  const first = productOfName(file.name, products) ?? products[0];
  const fields = useSchemaForm<Answers>({
    initial: {
      ...{ product: String(first?.['product-id'] ?? other), otherId: '', hardware: '', version: '' },
      ...{ isPreRelease: named.firmwareId === testBuild, isAccepted: false },
    },
    check: (answers) => check(named, answers),
    fieldOf: (path) => fieldNames[path] ?? path,
  });
  const { form } = fields;
  const target = targetOf(named, form.values);
  const before = sameVersion(list, target);
  const users = before?.['used-by'].join(', ') ?? '';
  const { isPreRelease } = form.values;
  return (
    <FormDialog
      title={t`Upload firmware`}
      fields={fields}
      save={async (answers) => onAnswered(statedOf(named, answers, before !== undefined))}
      verb={before === undefined ? <Trans>Upload</Trans> : <Trans>Replace</Trans>}
      isDisabled={users !== ''}
      onClose={onClose}
    >
      <FileLine file={file} named={named} products={products} />
      {named.productId === undefined && <ProductField form={form} products={products} />}
      {named.hardware === undefined && (
        <TextInput
          label={t`Hardware version`}
          description={t`The letter that the details of a device show, such as B.`}
          maxLength={1}
          autoComplete="off"
          {...form.getInputProps('hardware')}
        />
      )}
      {named.version === undefined && (
        <TextInput label={t`Version`} placeholder="2.4.288" autoComplete="off" {...form.getInputProps('version')} />
      )}
      {!isKnown && (
        <Checkbox
          label={t`This is a pre-release or a test build`}
          {...form.getInputProps('isPreRelease', { type: 'checkbox' })}
        />
      )}
      {isPreRelease && <Declaration form={form} />}
      {before !== undefined && <Replaced before={before} users={users} />}
    </FormDialog>
  );
}

function FileLine({ file, named, products }: Pick<DetailsDialogProps, 'file' | 'products'> & { named: NamedFirmware }) {
  const { t } = useLingui();
  const format = useFormat();
  const model = products.find((one) => one['product-id'] === named.productId)?.name;
  const { productId, hardware, version } = named;
  const facts = [
    amountText(format.bytes(file.size)),
    ...(productId === undefined ? [] : [model ?? t`Product ${productId}`]),
    ...(hardware === undefined ? [] : [t`Hardware ${hardware}`]),
    ...(version === undefined ? [] : [t`Version ${version}`]),
  ];
  return (
    <div>
      <p className={styles.file} translate="no">
        {file.name}
      </p>
      <p className={styles.facts}>{facts.join(format.comma)}</p>
    </div>
  );
}

type Form = SchemaForm<Answers>['form'];

function ProductField({ form, products }: { form: Form; products: readonly FirmwareProduct[] }) {
  const { t } = useLingui();
  const familyText = useFamilyText();
  const choices = products.map((one) => ({
    value: String(one['product-id']),
    label: `${one.name || familyText(familyOf(one.module))} (${one['product-id']})`,
  }));
  return (
    <>
      {products.length > 0 && (
        <NativeSelect
          label={t`Product`}
          description={t`The products of your devices.`}
          data={[...choices, { value: other, label: t`Another product` }]}
          data-autofocus
          {...form.getInputProps('product')}
        />
      )}
      {form.values.product === other && (
        <TextInput
          label={t`Product ID`}
          description={t`A number that the details of a device show.`}
          inputMode="numeric"
          autoComplete="off"
          {...form.getInputProps('otherId')}
        />
      )}
    </>
  );
}

function Declaration({ form }: { form: Form }) {
  const { t } = useLingui();
  return (
    <>
      <Banner tone="warn" title={<Trans>Declaration about pre-releases</Trans>}>
        <Trans>
          A pre-release is for testing only. It may have defects, interrupt streams and recordings, and lack features.
          Going back to a release may erase all settings of a device. Do not install it on devices that are on air.
        </Trans>
      </Banner>
      <Checkbox
        label={t`I have read this and accept it. The hub stores my name with the file.`}
        {...form.getInputProps('isAccepted', { type: 'checkbox' })}
      />
    </>
  );
}

function Replaced({ before, users }: { before: Firmware; users: string }) {
  if (users !== '') {
    return (
      <Banner tone="fault" title={<Trans>The library has another file of this version</Trans>}>
        <Trans>It cannot be replaced now, because it is in use: {users}</Trans>
      </Banner>
    );
  }
  const time = <Moment time={before['upload-date'] * 1000} />;
  return (
    <Banner tone="warn" title={<Trans>Replace the file of this version?</Trans>}>
      <Trans>
        The library has “{before.name}”, uploaded by {before['uploaded-by']}, {time}. It is deleted once the new one is
        complete.
      </Trans>
    </Banner>
  );
}

const fieldNames: Readonly<Record<string, string>> = {
  ...{ 'product-id': 'product', 'hardware-ver': 'hardware', 'accept-pre-release': 'isAccepted' },
};

const idOf = ({ product, otherId }: Answers) => numberOf(product === other ? otherId : product);

function targetOf(named: NamedFirmware, answers: Answers): NamedFirmware {
  const { hardware, version } = answers;
  return { productId: idOf(answers), hardware, version, ...named };
}

function check(named: NamedFirmware, answers: Answers) {
  const { product, otherId, hardware, version, isPreRelease, isAccepted } = answers;
  return {
    ...(named.productId === undefined &&
      product === other &&
      (otherId === '' ? { otherId: 'required' } : faultAt('otherId', ProductId, idOf(answers)))),
    ...(named.hardware === undefined && faultAt('hardware', HardwareVersion, hardware)),
    ...(named.version === undefined && faultAt('version', FirmwareVersion, version.trim())),
    ...(isPreRelease && !isAccepted && { isAccepted: 'preRelease' }),
  };
}

function statedOf(named: NamedFirmware, answers: Answers, replaces: boolean): StatedFirmware {
  const { hardware, version, isPreRelease } = answers;
  return {
    ...(named.productId === undefined && { 'product-id': idOf(answers) }),
    ...(named.hardware === undefined && { 'hardware-ver': hardware.toUpperCase() }),
    ...(named.version === undefined && { version: version.trim() }),
    ...(isPreRelease && { 'firmware-id': testBuild, 'accept-pre-release': true }),
    ...(replaces && { replace: true }),
  };
}
