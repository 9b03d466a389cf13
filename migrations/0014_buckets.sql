-- Object storage: buckets, the credentials that S3 clients reach them with, and what lies in them. The bytes are files
-- (src/storage/blob-files.ts); a file that no row of bucket_blobs names is nobody's.

create table buckets (
  id uuid primary key,
  -- No cascade: files have to go with it.
  account_id uuid not null references accounts,
  project_id uuid references projects on delete set null,
  -- Unique on the platform: it stands in addresses.
  name text not null unique check (name ~ '^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$'),
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'DELETING')),
  created_at timestamptz not null default now()
);
create index buckets_account on buckets (account_id, id);
create index buckets_deleting on buckets (id) where status = 'DELETING';
create index buckets_project on buckets (project_id) where project_id is not null;

-- What a bucket holds. The row is the lock under which its contents change, and counts what is to be paid for.
create table bucket_usage (
  bucket_id uuid primary key references buckets on delete cascade,
  objects bigint not null default 0 check (objects >= 0),
  -- Of objects and of the parts of unfinished uploads.
  files bigint not null default 0 check (files >= 0),
  bytes bigint not null default 0 check (bytes >= 0),
  -- Bytes times milliseconds up to `counted_to` that were not added to the meter yet.
  byte_ms numeric not null default 0,
  counted_to timestamptz not null
) with (fillfactor = 50);

create table bucket_credentials (
  id uuid primary key,
  account_id uuid not null references accounts,
  bucket_id uuid not null references buckets on delete cascade,
  name text not null,
  access text not null check (access in ('READ', 'READ_WRITE')),
  access_key_id text not null unique,
  sealed_secret bytea not null,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);
create index bucket_credentials_bucket on bucket_credentials (bucket_id, id);

-- Every file that there is to keep, and those that are to be deleted. No reference: it outlives its bucket's row.
create table bucket_blobs (
  id uuid primary key,
  bucket_id uuid not null,
  size bigint not null check (size >= 0),
  doomed_at timestamptz
);
create index bucket_blobs_doomed on bucket_blobs (doomed_at) where doomed_at is not null;

-- In the order of their bytes, as S3 lists them.
create table bucket_objects (
  bucket_id uuid not null references buckets,
  key text collate "C" not null check (octet_length(key) between 1 and 1024),
  size bigint not null check (size >= 0),
  etag text not null,
  modified_at timestamptz not null,
  -- See `ObjectAttributes` in src/storage/object-store.ts.
  attributes jsonb not null,
  -- Its bytes, one file behind the other.
  blob_ids uuid[] not null,
  blob_sizes bigint[] not null check (cardinality(blob_sizes) = cardinality(blob_ids)),
  primary key (bucket_id, key)
);

-- Multipart uploads under way.
create table bucket_uploads (
  id uuid primary key,
  bucket_id uuid not null references buckets,
  key text collate "C" not null check (octet_length(key) between 1 and 1024),
  attributes jsonb not null,
  started_at timestamptz not null
);
create index bucket_uploads_bucket on bucket_uploads (bucket_id, key, id);
create index bucket_uploads_age on bucket_uploads (started_at);

create table bucket_parts (
  upload_id uuid not null references bucket_uploads on delete cascade,
  number integer not null check (number between 1 and 10000),
  blob_id uuid not null,
  size bigint not null check (size >= 0),
  etag text not null,
  checksum text,
  modified_at timestamptz not null,
  primary key (upload_id, number)
);

-- Which database these files belong to: with another one nothing is known of them, and nothing may be deleted.
create table bucket_identity (id uuid primary key default gen_random_uuid());
insert into bucket_identity default values;

-- Adds what the bucket held up to `at` to the meter of its account, in whole MB-hours (10^6 bytes times 3.6 * 10^6 ms); the
-- rest waits. Each month gets its own. Counting twice up to one moment counts once.
create function count_storage(of_bucket uuid, at timestamptz) returns void language plpgsql as $$
declare
  usage bucket_usage;
  owner uuid;
  border timestamptz;
  whole numeric;
begin
  select * into usage from bucket_usage where bucket_id = of_bucket for update;
  if not found then return; end if;
  select account_id into strict owner from buckets where id = of_bucket;
  loop
    -- At least once: what changes have added may be more than a whole one.
    border := greatest(usage.counted_to,
      least(at, (date_trunc('month', usage.counted_to at time zone 'UTC') + interval '1 month') at time zone 'UTC'));
    usage.byte_ms := usage.byte_ms + usage.bytes * round(extract(epoch from border - usage.counted_to) * 1000);
    whole := div(usage.byte_ms, 3600000000000);
    if whole > 0 then
      perform add_usage(owner, usage.counted_to, 'OBJECT_STORAGE', whole::bigint);
      usage.byte_ms := usage.byte_ms - whole * 3600000000000;
    end if;
    usage.counted_to := border;
    exit when border >= at;
  end loop;
  update bucket_usage set byte_ms = usage.byte_ms, counted_to = usage.counted_to where bucket_id = of_bucket;
end $$;

-- What is held changes at `at`: until then it was what it was. The caller holds the lock of the row.
create function change_storage(of_bucket uuid, at timestamptz, more_objects bigint, more_files bigint, more_bytes bigint)
  returns void language plpgsql as $$
begin
  perform 1 from bucket_usage where bucket_id = of_bucket
    and date_trunc('month', counted_to at time zone 'UTC') <> date_trunc('month', at at time zone 'UTC');
  if found then perform count_storage(of_bucket, at); end if;
  update bucket_usage set
    -- Another process's clock may be a little behind.
    byte_ms = byte_ms + bytes * round(extract(epoch from greatest(at, counted_to) - counted_to) * 1000),
    counted_to = greatest(at, counted_to),
    objects = objects + more_objects, files = files + more_files, bytes = bytes + more_bytes
  where bucket_id = of_bucket;
end $$;

-- Takes the lock; false when the bucket is not there, or being deleted.
create function lock_bucket(of_bucket uuid) returns boolean language plpgsql as $$
begin
  perform 1 from bucket_usage where bucket_id = of_bucket for update;
  return found and exists (select from buckets where id = of_bucket and status = 'ACTIVE');
end $$;

-- Files that are in place become an object, at once and whole. With `of_upload` they are its parts, already counted; the
-- parts that were left out go. Outcomes: STORED; NO_BUCKET; NO_UPLOAD; EXISTS and CHANGED, which `only_if` asked for:
-- `*` means that there is none yet, anything else is the ETag of the one that may be replaced.
create function store_object(
  of_bucket uuid, of_key text, of_size bigint, of_etag text, at timestamptz, of_attributes jsonb,
  of_blobs uuid[], of_sizes bigint[], of_upload uuid, only_if text
) returns text language plpgsql as $$
declare
  known bucket_objects;
  is_known boolean;
  left_out uuid[] := '{}';
  left_bytes bigint := 0;
begin
  if not lock_bucket(of_bucket) then return 'NO_BUCKET'; end if;
  select * into known from bucket_objects where bucket_id = of_bucket and key = of_key;
  is_known := found;
  if only_if = '*' and is_known then return 'EXISTS'; end if;
  if only_if <> '*' and (not is_known or known.etag <> only_if) then return 'CHANGED'; end if;
  if of_upload is null then
    insert into bucket_blobs (id, bucket_id, size) select blob, of_bucket, size from unnest(of_blobs, of_sizes) as parts (blob, size);
  else
    select coalesce(array_agg(blob_id), '{}'), coalesce(sum(size), 0) into left_out, left_bytes
      from bucket_parts where upload_id = of_upload and blob_id <> all (of_blobs);
    -- Parts that were replaced meanwhile are somebody else's by now.
    if (select count(*) from bucket_parts where upload_id = of_upload and blob_id = any (of_blobs)) <> cardinality(of_blobs)
      then return 'NO_UPLOAD'; end if;
    delete from bucket_uploads where id = of_upload and bucket_id = of_bucket;
    if not found then return 'NO_UPLOAD'; end if;
  end if;
  update bucket_blobs set doomed_at = at where id = any (left_out || coalesce(known.blob_ids, '{}'));
  insert into bucket_objects values (of_bucket, of_key, of_size, of_etag, at, of_attributes, of_blobs, of_sizes)
    on conflict (bucket_id, key) do update set
      size = excluded.size, etag = excluded.etag, modified_at = excluded.modified_at, attributes = excluded.attributes,
      blob_ids = excluded.blob_ids, blob_sizes = excluded.blob_sizes;
  perform change_storage(of_bucket, at,
    case when is_known then 0 else 1 end,
    case when of_upload is null then cardinality(of_blobs) else 0 end - cardinality(left_out) - coalesce(cardinality(known.blob_ids), 0),
    case when of_upload is null then of_size else 0 end - left_bytes - coalesce(known.size, 0));
  return 'STORED';
end $$;

-- How many there were.
create function delete_objects(of_bucket uuid, keys text[], at timestamptz) returns bigint language plpgsql as $$
declare
  gone record;
  blobs uuid[] := '{}';
  objects bigint := 0;
  bytes bigint := 0;
begin
  perform 1 from bucket_usage where bucket_id = of_bucket for update;
  for gone in delete from bucket_objects where bucket_id = of_bucket and key = any (keys) returning size, blob_ids loop
    objects := objects + 1;
    bytes := bytes + gone.size;
    blobs := blobs || gone.blob_ids;
  end loop;
  if objects = 0 then return 0; end if;
  update bucket_blobs set doomed_at = at where id = any (blobs);
  perform change_storage(of_bucket, at, -objects, -cardinality(blobs), -bytes);
  return objects;
end $$;

-- A part in place becomes one of the upload, instead of the one with its number. false: there is no such upload.
create function store_part(
  of_bucket uuid, of_upload uuid, of_number integer, of_blob uuid, of_size bigint, of_etag text, of_checksum text,
  at timestamptz
) returns boolean language plpgsql as $$
declare
  known bucket_parts;
  is_known boolean;
begin
  if not lock_bucket(of_bucket) then return false; end if;
  perform 1 from bucket_uploads where id = of_upload and bucket_id = of_bucket;
  if not found then return false; end if;
  select * into known from bucket_parts where upload_id = of_upload and number = of_number;
  is_known := found;
  insert into bucket_blobs (id, bucket_id, size) values (of_blob, of_bucket, of_size);
  update bucket_blobs set doomed_at = at where id = known.blob_id;
  insert into bucket_parts values (of_upload, of_number, of_blob, of_size, of_etag, of_checksum, at)
    on conflict (upload_id, number) do update set
      blob_id = excluded.blob_id, size = excluded.size, etag = excluded.etag, checksum = excluded.checksum,
      modified_at = excluded.modified_at;
  perform change_storage(of_bucket, at, 0, case when is_known then 0 else 1 end, of_size - coalesce(known.size, 0));
  return true;
end $$;

-- false: there was no such upload.
create function abort_upload(of_bucket uuid, of_upload uuid, at timestamptz) returns boolean language plpgsql as $$
declare
  blobs uuid[];
  bytes bigint;
begin
  perform 1 from bucket_usage where bucket_id = of_bucket for update;
  select coalesce(array_agg(blob_id), '{}'), coalesce(sum(size), 0) into blobs, bytes
    from bucket_parts where upload_id = of_upload;
  delete from bucket_uploads where id = of_upload and bucket_id = of_bucket;
  if not found then return false; end if;
  update bucket_blobs set doomed_at = at where id = any (blobs);
  perform change_storage(of_bucket, at, 0, -cardinality(blobs), -bytes);
  return true;
end $$;

-- Up to `most` objects and common prefixes behind `after`, in the order of their bytes. What has `delimiter` behind `under`
-- is folded into its common prefix, which is then passed over at once, however much is in it.
create function list_objects(of_bucket uuid, under text, delimiter text, after text, most integer)
  returns table (name text, is_prefix boolean, object_size bigint, object_etag text, object_modified_at timestamptz, object_attributes jsonb)
  language plpgsql stable as $$
declare
  -- Behind every key that begins with what stands before it: no key has more than 1024 bytes.
  beyond constant text := repeat(chr(1114111), 257);
  position text := after;
  listed integer := 0;
  place integer;
  object bucket_objects;
  is_folded boolean := true;
begin
  -- A common prefix that was listed before: all that is in it was, too.
  if delimiter <> '' and starts_with(after, under) then
    place := strpos(substr(after, length(under) + 1), delimiter);
    if place > 0 and length(under) + place + length(delimiter) - 1 = length(after) then position := after || beyond; end if;
  end if;
  while is_folded and listed < most loop
    is_folded := false;
    for object in
      select * from bucket_objects where bucket_id = of_bucket
        and key > position collate "C" and key >= under collate "C" and key < (under || beyond) collate "C"
      order by key limit most - listed
    loop
      listed := listed + 1;
      place := case when delimiter = '' then 0 else strpos(substr(object.key, length(under) + 1), delimiter) end;
      is_prefix := place > 0;
      name := case when is_prefix then left(object.key, length(under) + place + length(delimiter) - 1) else object.key end;
      object_size := object.size;
      object_etag := object.etag;
      object_modified_at := object.modified_at;
      object_attributes := object.attributes;
      return next;
      if is_prefix then
        position := name || beyond;
        is_folded := true;
        exit;
      end if;
    end loop;
  end loop;
end $$;
