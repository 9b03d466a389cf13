/** What S3 clients want to be told, ready to paste. */
export interface Access {
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export const tools = ["environment", "aws", "rclone", "boto3"] as const;
export type Tool = (typeof tools)[number];

export function configurationFor(tool: Tool, { endpoint, bucket, accessKeyId, secretAccessKey }: Access): string {
  const environment = [
    `AWS_ACCESS_KEY_ID=${accessKeyId}`,
    `AWS_SECRET_ACCESS_KEY=${secretAccessKey}`,
    "AWS_REGION=us-east-1",
    `AWS_ENDPOINT_URL_S3=${endpoint}`,
  ];
  switch (tool) {
    case "environment":
      return environment.join("\n");
    case "aws":
      return [...environment.map((line) => `export ${line}`), `aws s3 ls s3://${bucket}`].join("\n");
    case "rclone":
      return [
        `[${bucket}]`,
        "type = s3",
        "provider = Other",
        `endpoint = ${endpoint}`,
        "region = us-east-1",
        `access_key_id = ${accessKeyId}`,
        `secret_access_key = ${secretAccessKey}`,
        `# rclone copy folder ${bucket}:${bucket}`,
      ].join("\n");
    case "boto3":
      return [
        "import boto3",
        "from botocore.config import Config",
        "",
        "s3 = boto3.client(",
        '    "s3",',
        `    endpoint_url="${endpoint}",`,
        '    region_name="us-east-1",',
        `    aws_access_key_id="${accessKeyId}",`,
        `    aws_secret_access_key="${secretAccessKey}",`,
        '    config=Config(signature_version="s3v4", s3={"addressing_style": "path"}),',
        ")",
        `s3.upload_file("file.txt", "${bucket}", "file.txt")`,
      ].join("\n");
  }
}
