// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import LoopbackServer
import OppiModel
import OppiRendering
import OppiSystem
import OppiTransport

/// `oppi demo`: the main job against a server of its own.
enum Demo {
  struct Options: Sendable, Equatable {
    var isServing = false
  }

  static let command = Command(
    "demo",
    "Show the main job against a server of its own",
    discussion: """
      Starts a small server of the protocol on this machine, pairs with it by a real invite, lists \
      its workspaces and asks, by the very commands that are shown. Everything happens in a folder \
      of its own that is removed at the end; your own servers and settings are not touched.
      """,
    examples: [
      CommandExample("oppi demo", "Watch it in a few seconds"),
      CommandExample("oppi demo --serve", "Keep the server and try for yourself"),
    ],
    members: DemoStep.shape.rows + invitationShape.rows,
    group: Group.setup,
    options: Options(),
    arguments: [
      .flag("serve", \.isServing, "Keep the server running and print an invite")
    ],
    run: run
  )

  private static let invitationShape: JSONShape<(url: String, port: Int)> = [
    .member("inviteURL", "With --serve: the invite") { .string($0.url) },
    .member("port", "With --serve: the server's port") { .integer(Int64($0.port)) },
  ]

  /// The pause between an agent's events, long enough to be seen working.
  private static let pace = Duration.milliseconds(40)

  static func run(_ options: Options, in context: Context) async throws -> Report {
    try await DemoFolder.with(in: context) { folder in
      var configuration = LoopbackServer.Configuration()
      configuration.name = "demo"
      configuration.pace = pace
      configuration.tls = await DemoFolder.certificate(in: folder, on: context.loop)
      configuration.certificatePin = configuration.tls?.certificatePin
      let server = try LoopbackServer(configuration: configuration, loop: context.loop)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await server.run() }
        defer { server.stop() }
        if options.isServing {
          try await serve(server, in: context)
        } else {
          try await show(server, in: context, folder: folder)
        }
      }
    }
    return .end()
  }

  /// Prints an invite and waits to be interrupted.
  private static func serve(_ server: LoopbackServer, in context: Context) async throws {
    let invite = server.makeInvite().url
    try await context.console.print(
      Report(invitationShape.document(of: (invite, server.port)), .text(invite))
    )
    await context.console.status(
      "Serving; pair within 90 s with: oppi pair 'INVITE'. Ctrl-C ends it."
    )
    try await context.loop.sleep(until: context.loop.now + .seconds(1 << 30))
  }

  private static func show(
    _ server: LoopbackServer,
    in context: Context,
    folder: String
  ) async throws {
    let stage = DemoStage(context: context, folder: folder)
    try await stage.perform(["pair", server.makeInvite().url], shownAs: "oppi pair INVITE")
    try await stage.perform(["workspaces"])
    try await stage.perform(["ask", "-w", "webapp", "-t", "high", "run the tests"])
    let journal = await server.recorder.wait { $0.messages.contains { $0.type == "prompt" } }
    let prompts = journal.messages.filter { $0.type == "prompt" }
    await stage.say(
      "the server's agent got \(prompts.count) prompt: \(prompts[0].json["message"].text())"
    )
    try await stage.perform(["ask", "--json", "-s", "last", "and fix what fails"])
    try await stage.perform(["ask", "-n", "-w", "demo/demo", "deploy"])
    try await stage.perform(["servers", "test"])
    await stage.say("every command ended with status 0; for more: oppi demo --serve")
  }
}
