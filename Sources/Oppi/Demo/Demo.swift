// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiClient
import OppiHost
import OppiSystem
import OppiTransport

/// `oppi demo`: the main commands against a local demo server.
enum Demo {
  struct Options: Sendable, Equatable {
    var isServing = false
    var isPlain = false
  }

  static let command: Command = Command(
    "demo",
    "Try oppi with a local demo server",
    discussion: """
      Starts a small server on this machine, pairs with it, lists its workspaces, sends a \
      prompt, lists the dialog in which the agent asks before it pushes, answers it, follows the \
      turn to its end, and prints an answer as JSON. On a terminal you choose the answer (the \
      push is allowed after 10 s), and the demo pauses between commands. Without a terminal or \
      with --plain it runs without questions and pauses. All files are in a temporary folder, \
      which is removed at the end; your servers and settings are not changed.

      The server is like today's servers: it uses TLS, enrols a device key, and its agent asks in \
      dialogs. Without the openssl program, which makes the certificate, it uses no TLS.

      The demo agent follows a script. These words in a prompt select what it does:

      \(vocabulary)
      """,
    examples: [
      ("oppi demo", "Watch the demo and answer one dialog"),
      ("oppi demo --serve", "Keep the demo server running to try it yourself"),
    ],
    members: DemoStep.shape.rows + invitationShape.rows,
    group: Group.start,
    options: Options(),
    arguments: [
      .flag("serve", \.isServing, "Keep the server running and print an invite"),
      .flag("plain", \.isPlain, "Run without live card, questions and pauses"),
    ],
    run: run
  )

  /// The keywords of the demo's scripts, one per row.
  private static var vocabulary: String {
    ScriptedAgent.vocabulary.map { row in
      let gap = String(repeating: " ", count: max(1, 14 - row.word.count))
      return "  \(row.word)\(gap)\(row.effect)"
    }
    .joined(separator: "\n")
  }

  private static let invitationShape: JSONShape<(url: String, port: Int)> = [
    .text("inviteURL", "With --serve: the invite") { $0.url },
    .number("port", "With --serve: the server's port") { $0.port },
  ]

  /// The pause between an agent's events with --serve.
  private static let servingPace = Duration.milliseconds(40)

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let isReadable = !options.isPlain && context.output.policy.form == .terminal
    let folder = try TemporaryFolder(named: "oppi-demo", environment: context.environment)
    defer { folder.remove() }
    let pace = options.isServing ? servingPace : DemoStage.pace(isReadable: isReadable)
    let server = try await makeServer(in: folder.path, pace: pace, on: context.loop)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await server.run() }
      defer { server.stop() }
      if options.isServing {
        try await serve(server, in: context)
      } else {
        try await show(
          server,
          on: DemoStage(context: context, folder: folder.path, isReadable: isReadable)
        )
      }
    }
    return .end()
  }

  private static func makeServer(
    in folder: String,
    pace: Duration,
    on loop: EventLoop
  ) async throws -> Host {
    var configuration = HostConfiguration()
    configuration.name = "demo"
    configuration.pace = pace
    configuration.tls = await certificate(in: folder, on: loop)
    configuration.certificatePin = configuration.tls?.certificatePin
    configuration.identity = identity(on: loop)
    var agent = ScriptedAgent()
    agent.isGuide = true
    agent.gatesCommands = true
    // Without TLS, nothing leaves this machine either.
    let parts = HostParts(agent: agent, on: loop)
    return Host(configuration, parts, try Listener(loop: loop), on: loop)
  }

  /// A key that signs the invites; `nil` without OpenSSL's library.
  private static func identity(on loop: EventLoop) -> IdentityKey? {
    var random = loop.random
    let seed = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    return try? IdentityKey(seed: seed)
  }

  /// Prints an invite and waits for an interruption.
  private static func serve(_ server: Host, in context: Context) async throws {
    let invite = try server.makeInvite().url
    try await context.output.print(
      Report(invitationShape.document(of: (invite, server.port)), .text(invite))
    )
    await context.output.status(
      "server is running; pair within 90 s: oppi pair 'INVITE'; press Ctrl-C to stop"
    )
    try await context.loop.sleep(until: context.loop.now + .seconds(1 << 30))
  }

  private static func show(_ server: Host, on stage: DemoStage) async throws {
    try await stage.perform(["pair", server.makeInvite().url], shownAs: "oppi pair INVITE")
    try await stage.perform(["workspaces"])
    await stage.say("the prompt is sent and the command exits; the agent works on the server")
    try await stage.perform(["ask", "-w", "webapp", "deploy the new version"])
    let request = try await stage.pendingRequest()
    await stage.say("the agent asks before it pushes")
    try await stage.perform(["approvals"])
    let isAllowed = try await stage.decision()
    try await stage.perform(DemoStage.reply(isAllowed, to: request), pause: .zero)
    try await stage.perform(["follow", "last"] + stage.plainly)
    await stage.say("in a script: wait for the answer, and print one line of JSON")
    try await stage.perform(["ask", "--json", "-s", "last", "--wait", "thank you"])
    await stage.say("to try it yourself: oppi demo --serve; for its prompts: oppi demo --help")
  }

  /// Creates a self-signed certificate with openssl; `nil` without openssl, and the demo then uses
  /// no TLS.
  private static func certificate(in folder: String, on loop: EventLoop) async -> TLSContext? {
    let (certificate, key) = ("\(folder)/server.crt", "\(folder)/server.key")
    var command = ChildProcess(arguments: [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
      "-nodes", "-days", "1", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
      "-batch",
    ])
    command.errors = .discarded
    _ = try? await command.run(on: loop, until: loop.now + .seconds(5))
    return try? TLSContext(certificateFile: certificate, keyFile: key)
  }
}
