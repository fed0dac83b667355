import { families, familyOfProduct } from '../../contract/device-catalog.ts';
import type { QueryOf } from '../../contract/endpoint.ts';
import { type Firmware, type FirmwareProduct, firmwareApi } from '../../contract/firmware.ts';
import { firmwareFileName } from '../../contract/firmware-names.ts';
import { keepOpenDuring } from '../../http/keep-open.ts';
import { bind, type Route, signedIn } from '../../http/route.ts';
import { windowOf } from '../../lib/list-page.ts';
import type { FirmwareDeps, FirmwareParts } from './feature.ts';
import type { FirmwareLibrary } from './library.ts';
import { infoOf, isPreRelease, numbersOf, refuseOtherFile } from './stated.ts';
import type { FirmwareRow } from './store.ts';

export function firmwareRoutes(
  { products, beginUpload }: Pick<FirmwareDeps, 'products'> & { readonly beginUpload: FirmwareParts['beginUpload'] },
  { library, waiting }: Pick<FirmwareParts, 'library' | 'waiting'>,
): Route[] {
  return [
    bind(firmwareApi.list, ({ query, session }) => {
      const known = products(signedIn(session));
      return { ...listed(library, query, known), products: known };
    }),
    bind(firmwareApi.upload, ({ file, session, http }) =>
      keepOpenDuring(http.env, async () => {
        refuseOtherFile(file.name);
        const { name, size } = await waiting.receive(signedIn(session).user.id, file);
        return { 'file-path': name, 'file-size': size, 'firmware-info': infoOf(file.name) };
      }),
    ),
    bind(firmwareApi.add, async ({ body: { 'file-path': name, ...stated }, session, actor }) => {
      const id = await library.add(actor, waiting.find(signedIn(session).user.id, name), stated);
      await waiting.forget(name);
      return { id };
    }),
    bind(firmwareApi.beginUpload, ({ body: { name, size, sha256, ...stated }, session, actor }) => {
      library.refuseEarly(name, stated);
      return { task: beginUpload(signedIn(session), { name, size, sha256 }, { actor, stated }) };
    }),
    bind(firmwareApi.del, ({ body, actor }) => library.del(actor, [body.id].flat())),
  ];
}

/** The newest upload first. */
function listed(
  library: FirmwareLibrary,
  query: QueryOf<typeof firmwareApi.list>,
  products: readonly FirmwareProduct[],
) {
  const { start, count, 'dev-type': family = 0, 'product-id': product = 0 } = query;
  const hardware = query['hardware-ver']?.toUpperCase();
  const found = library
    .rows()
    .filter((row) => family === 0 || moduleOf(row.productId, products) === family)
    .filter((row) => product === 0 || row.productId === product)
    .filter((row) => hardware === undefined || row.hardware === hardware)
    .toSorted((a, b) => b.id - a.id);
  const page = windowOf(found, start, count ?? found.length);
  return { ...page, total: found.length, list: page.list.map((row) => show(library, row, products)) };
}

function show(library: FirmwareLibrary, row: FirmwareRow, products: readonly FirmwareProduct[]): Firmware {
  const users = library.usersOf(row.id);
  return {
    id: row.id,
    name: row.name,
    'file-path': firmwareFileName(row),
    'file-size': row.size,
    sha256: row.sha256,
    'upload-date': Math.floor(row.uploadedAt / 1000),
    'uploaded-by': row.uploadedBy,
    'product-id': row.productId,
    'product-name': products.find((one) => one['product-id'] === row.productId)?.name ?? '',
    module: moduleOf(row.productId, products),
    'hardware-ver': row.hardware,
    'firmware-id': row.firmwareId,
    version: row.version,
    ...numbersOf(row.version),
    'is-pre-release': isPreRelease(row),
    'accepted-by': row.acceptedBy,
    'in-use': users.length > 0,
    'used-by': users,
    'is-missing': library.isMissing(row.id),
  };
}

/** As the devices of this product state it, otherwise as the table of products has it. */
function moduleOf(productId: number, products: readonly FirmwareProduct[]): number {
  return products.find((one) => one['product-id'] === productId)?.module ?? families[familyOfProduct(productId)];
}
