/** A value of the file and where it stands, as `longrun.yaml:3:11`. */
export interface FileValue {
  value: unknown;
  place: string;
}
