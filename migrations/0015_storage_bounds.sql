-- Files that are to be deleted, of a bucket: what is still read of them counts as stored.
create index bucket_blobs_leaving on bucket_blobs (bucket_id) include (size, doomed_at) where doomed_at is not null;
