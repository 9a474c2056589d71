import { access } from 'node:fs/promises';
import type Dockerode from 'dockerode';
import { gatherBounded } from '../../store/map-bounded.js';
import type { ImageKeeper, MadeImage } from '../image-keeper.js';
import { asking, engineStatus, toLongrunError } from './engine-error.js';
import type { ImageUse } from './image-use.js';
import { BUILT_IMAGE_REPOSITORY, LABEL, SNAPSHOT_REPOSITORY } from './labels.js';

/** The images of one installation on a Docker engine, found by their labels. */
export class MadeImages implements ImageKeeper {
  constructor(
    private readonly docker: Dockerode,
    private readonly installation: string,
    private readonly use: ImageUse,
  ) {}

  async list(): Promise<MadeImage[]> {
    const [built, kept, others, containers] = await asking('listing images', () =>
      Promise.all([
        this.labelled(LABEL.builder),
        this.labelled(LABEL.cluster),
        this.docker.listImages(),
        this.docker.listContainers({ all: true }),
      ]),
    );
    const busy = new Set([
      ...containers.map(({ ImageID }) => ImageID),
      ...others.map(({ ParentId }) => ParentId),
    ]);
    const snapshots = kept.filter((image) => namesOf(image).some(isIn(SNAPSHOT_REPOSITORY)));
    const snapshotIds = new Set(snapshots.map(({ Id }) => Id));
    const tasks = built.filter(({ Id }) => !snapshotIds.has(Id));
    const kinds = [
      ...tasks.map((image) => ({ image, kind: 'task' as const })),
      ...snapshots.map((image) => ({ image, kind: 'snapshot' as const })),
    ];
    return gatherBounded(kinds, ({ image, kind }) => this.describe(image, kind, busy));
  }

  async remove({ name }: MadeImage): Promise<boolean> {
    try {
      await this.docker.getImage(name).remove();
      return true;
    } catch (error) {
      const status = engineStatus(error);
      if (status === 404) return true;
      if (status === 409) return false;
      throw toLongrunError(error, 'removing an image');
    }
  }

  async dataRoot(): Promise<string | null> {
    const { DockerRootDir } = await asking('asking where it keeps its data', () => this.docker.info());
    return access(DockerRootDir).then(
      () => DockerRootDir,
      () => null,
    );
  }

  private labelled(label: string): Promise<Dockerode.ImageInfo[]> {
    return this.docker.listImages({ filters: { label: [`${label}=${this.installation}`] } });
  }

  private async describe(
    image: Dockerode.ImageInfo,
    kind: MadeImage['kind'],
    busy: ReadonlySet<string>,
  ): Promise<MadeImage> {
    const names = namesOf(image);
    const ours = isIn(kind === 'task' ? BUILT_IMAGE_REPOSITORY : SNAPSHOT_REPOSITORY);
    const name = names.find(ours) ?? image.Id;
    const createdAtMs = image.Created * 1000;
    return {
      driver: 'docker',
      name,
      kind,
      bytes: image.Size,
      createdAtMs,
      lastUsedAtMs: (await this.use.lastUsedAt(name)) ?? createdAtMs,
      inUse: busy.has(image.Id) || names.some((other) => !ours(other)),
      runId: kind === 'snapshot' ? (image.Labels?.[LABEL.run] ?? null) : null,
    };
  }
}

const namesOf = ({ RepoTags }: Dockerode.ImageInfo): string[] =>
  (RepoTags ?? []).filter((name) => !name.startsWith('<none>'));

const isIn =
  (repository: string) =>
  (name: string): boolean =>
    name.startsWith(`${repository}:`);
