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
    var isPlain = false
  }

  static let command: Command = Command(
    "demo",
    "Show the main job against a server of its own",
    discussion: """
      Starts a small server of the protocol on this machine, pairs with it by a real invite, lists \
      its workspaces, asks, follows the turn, answers the agent's request for approval, and prints \
      the answer, by the very commands that are shown. On a terminal it goes at a pace that can be \
      read; elsewhere and with --plain it is done at once. Everything happens in a folder of its \
      own that is removed at the end; your own servers and settings are not touched.
      """,
    examples: [
      CommandExample("oppi demo", "Watch it in half a minute"),
      CommandExample("oppi demo --serve", "Keep the server and try for yourself"),
    ],
    members: DemoStep.shape.rows + invitationShape.rows,
    group: Group.setup,
    options: Options(),
    arguments: [
      .flag("serve", \.isServing, "Keep the server running and print an invite"),
      .flag("plain", \.isPlain, "No card and no pauses"),
    ],
    run: run
  )

  private static let invitationShape: JSONShape<(url: String, port: Int)> = [
    .member("inviteURL", "With --serve: the invite") { .string($0.url) },
    .member("port", "With --serve: the server's port") { .integer(Int64($0.port)) },
  ]

  /// The pause between an agent's events while somebody plays with the server.
  private static let servingPace = Duration.milliseconds(40)

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let tempo = DemoTempo(isReadable: !options.isPlain && context.console.policy.form == .eyes)
    try await DemoFolder.with(in: context) { folder in
      var configuration = LoopbackServer.Configuration()
      configuration.name = "demo"
      configuration.pace = options.isServing ? servingPace : tempo.event
      configuration.tls = await DemoFolder.certificate(in: folder, on: context.loop)
      configuration.certificatePin = configuration.tls?.certificatePin
      let server = try LoopbackServer(configuration: configuration, loop: context.loop)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await server.run() }
        defer { server.stop() }
        if options.isServing {
          try await serve(server, in: context)
        } else {
          try await show(server, on: DemoStage(context: context, folder: folder, tempo: tempo))
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

  private static func show(_ server: LoopbackServer, on stage: DemoStage) async throws {
    try await stage.perform(["pair", server.makeInvite().url], shownAs: "oppi pair INVITE")
    try await stage.perform(["workspaces"])
    await stage.say(
      "an agent works; before it pushes it needs a human's word, given after a moment"
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await stage.allowWhatIsAskedFor() }
      try await stage.perform(
        ["ask", "-w", "webapp", "--follow"] + stage.plainly + ["deploy the new version"]
      )
      group.cancelAll()
    }
    await stage.say("the same for a script: one line of JSON, and the exit status")
    try await stage.perform(["ask", "--json", "-s", "last", "--wait", "thank you"])
    await stage.say("every command ended with status 0; to try for yourself: oppi demo --serve")
  }
}
