import "reflect-metadata";
import { NestFactory } from "@nestjs/core";
import { AppModule } from "./app.module.js";

async function main() {
  const app = await NestFactory.create(AppModule);
  // Requests under way are answered, new ones go to the next instance.
  app.enableShutdownHooks();
  await app.listen(process.env.PORT ?? 3000);
}

void main();
