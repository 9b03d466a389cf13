import { Controller, Get, Injectable, Module } from "@nestjs/common";

@Injectable()
class Greeter {
  greet(): string {
    return "Hello from NestJS";
  }
}

@Controller()
class GreetingController {
  constructor(private readonly greeter: Greeter) {}

  @Get()
  greet(): string {
    return this.greeter.greet();
  }
}

@Module({ controllers: [GreetingController], providers: [Greeter] })
export class AppModule {}
