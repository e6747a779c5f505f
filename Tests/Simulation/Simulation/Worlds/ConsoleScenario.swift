// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer

/// A console through cuts and restarts: what is sent from it runs at most once, each result is
/// reported, and the reports are true; no call runs without a deliberate approval.
enum ConsoleScenario {
  private static let statuses: Set<Int32> = [0, 6]

  static func play(_ world: World) async throws {
    let server = try await world.addServer(.drawn(in: world, name: "studio"))
    let kept = world.happens(0.5) ? "kept \(world.number(below: 1 << 30))" : nil
    if let kept { await keep(kept, for: server, world) }
    for prompt in ["deploy", "fail", "hello"] {
      guard await world.session(asking: ["-q", "-w", "demo", prompt]) != nil else { return }
    }
    let terminal = world.start(["console"], columns: 160, rows: world.choose([24, 50]))
    do {
      try await terminal.see("hello")
    } catch {
      return world.check(false, "the console did not show the sessions without faults: \(error)")
    }
    var person = ConsolePerson(world: world, terminal: terminal, kept: kept)
    world.set(world.drawNetworkFaults())
    if world.happens(0.3) { world.endTokens(of: server, within: .seconds(200)) }
    let restart = Task(executorPreference: world.loop) {
      guard world.happens(0.4) else { return }
      await world.restart(server, within: .seconds(200), awayFor: .seconds(60))
    }
    for _ in 0..<(2 + world.number(below: 6)) { await person.act() }
    await restart.value
    // A delivery of the outbox goes on meanwhile, and the person sees what has become of it.
    try await world.calmDown()
    await person.sendAfterFaults()
    world.tell("the screen:\n    " + terminal.lines.joined(separator: "\n    "))
    check(person, server, world)
    guard let outcome = await person.leave() else {
      return world.check(false, "the console does not end")
    }
    world.mark("status \(outcome.status ?? -1)")
    world.check(statuses.contains(outcome.status ?? -1), "the console ended with \(outcome)")
    world.check(terminal.isRestored, "the terminal is not restored: \(terminal.lines)")
  }

  /// Queues a prompt while the server is away.
  private static func keep(_ prompt: String, for server: VirtualServer, _ world: World) async {
    _ = await world.program().run(["workspaces"])
    await server.end(.inOrder)
    let queued = await world.program().run(["ask", "-q", "--queue", "-w", "demo", "--", prompt])
    world.check(queued.status == 0, "the prompt was not queued: \(queued)")
    world.restore(server)
  }

  private static func check(_ person: ConsolePerson, _ server: VirtualServer, _ world: World) {
    for message in person.said {
      let runs = server.runs.count { $0.text.contains(message.number) }
      let isSent = server.deliveries.contains { $0.prompt.contains(message.number) }
      world.mark("\(message.report)")
      world.check(runs <= 1, "\(message.number) ran \(runs) times")
      switch message.report {
      case .sent: world.check(isSent, "\(message.number) was reported as sent")
      case .notSent: world.check(runs == 0, "\(message.number) ran, and was reported as not sent")
      case .unknown: break
      case .none: world.check(false, "\(message.number) has no result")
      }
    }
    let allowed = server.decisions.count { $0.action == "allow" }
    world.check(
      allowed <= person.allowed,
      "\(allowed) calls were allowed, \(person.allowed) on purpose"
    )
  }
}

/// A simulated user of the console.
struct ConsolePerson {
  /// What the console said about a message.
  enum Report {
    case sent, notSent, unknown, none
  }

  private static let escape = "\u{1B}"
  private static let clearLine = "\u{15}\u{7F}"

  let world: World
  let terminal: VirtualTerminal
  /// The prompt in the outbox.
  let kept: String?
  /// The messages, each with its unique number and what was reported about it.
  private(set) var said: [(number: String, report: Report)] = []
  /// The number of deliberate approvals.
  private(set) var allowed = 0

  init(world: World, terminal: VirtualTerminal, kept: String?) {
    (self.world, self.terminal, self.kept) = (world, terminal, kept)
  }

  private func rest(_ time: Duration) async { try? await world.loop.sleep(for: time) }

  private func shows(_ text: String) -> Bool { terminal.lines.contains { $0.contains(text) } }

  /// Types a text, and returns whether the screen shows another within some seconds.
  private func type(_ text: String, see sign: String) async -> Bool {
    terminal.type(text)
    for _ in 0..<20 {
      await rest(.milliseconds(300))
      if shows(sign) { return true }
    }
    return false
  }

  /// Closes what is open, and shows a tab.
  private func show(_ tab: String) async {
    for _ in 0..<3 {
      terminal.type(Self.escape)
      await rest(.milliseconds(400))
    }
    terminal.type(tab)
    await rest(.seconds(2))
  }

  /// Performs a random action.
  mutating func act() async {
    await rest(world.time(upTo: .seconds(30)))
    guard !terminal.hasEnded else { return }
    switch world.number(below: 12) {
    case 0...2: await launch()
    case 3...4: await send(by: "r", below: "Message to")
    case 5: await send(by: "R", below: "New attempt in")
    case 6...7: await allow()
    case 8: await confirm("d", on: "2", asked: "Deny 1 request?")
    case 9: await confirm(world.choose(["s", "D", " jD"]), on: "3", asked: "session")
    case 10: await rename()
    default: await decideOnOutbox()
    }
  }

  // MARK: - Messages

  /// Sends a prompt to a new session.
  private mutating func launch() async {
    await show(world.choose(["1", "3"]))
    guard await type("n", see: "New prompt") else { return }
    // The form starts with what was not sent before.
    if !shows("model: ") {
      guard await type("", see: "▸ studio/demo"), await type("\r", see: "model ›"),
        await type("\r", see: "model: ")
      else { return }
    }
    await say(sent: "sent to the new session", notSent: "not sent; n has the prompt")
  }

  /// Sends a message to the selected session.
  private mutating func send(by key: String, below title: String) async {
    await show("3")
    guard await type(world.choose(["", "j", "G"]) + key, see: title) else { return }
    for _ in 0..<40 where shows("reading the prompt…") { await rest(.seconds(1)) }
    await say(sent: "sent to ", notSent: "not sent; reply to the session")
  }

  /// Types a message into the open field, sends it, and waits for the report.
  private mutating func say(sent: String, notSent: String) async {
    let number = "\(100_000 + world.number(below: 900_000))"
    let text = "\(world.choose(["hello", "deploy", "fail"])) \(number)"
    guard await type(String(repeating: Self.clearLine, count: 6) + text, see: text) else { return }
    await rest(.seconds(1.5))
    terminal.type("\r")
    var report = Report.none
    for _ in 0..<240 where report == .none && !terminal.hasEnded {
      await rest(.milliseconds(500))
      // The field is closed by the Enter that sends.
      if shows("Alt-Enter new line") { return }
      if shows(notSent) { report = .notSent }
      if shows("delivery unknown") { report = .unknown }
      if report == .none, shows(sent) { report = .sent }
    }
    world.tell("\(text): \(report)")
    said.append((number, report))
  }

  /// Without faults, a new prompt is sent, unless the server has too many sessions.
  mutating func sendAfterFaults() async {
    guard !terminal.hasEnded else { return world.check(false, "the console has ended") }
    let count = said.count
    await launch()
    world.check(
      said.count > count && (said.last?.report == .sent || shows("has no room")),
      "the console sends nothing any more"
    )
  }

  private func rename() async {
    await show("3")
    guard await type("e", see: "New name of") else { return }
    terminal.type("\u{15}name \(world.number(below: 1000))")
    await rest(.seconds(1.5))
    terminal.type("\r")
    await rest(.seconds(10))
  }

  // MARK: - Decisions

  /// Allows the selected request, after time to read it.
  private mutating func allow() async {
    await show("2")
    guard await type("\r", see: "a allow once") else { return }
    await rest(.seconds(2))
    terminal.type("a")
    await rest(.seconds(2))
    allowed += 1
    terminal.type("\r")
    await rest(.seconds(2))
  }

  /// Asks for a change, and mostly confirms it.
  private func confirm(_ keys: String, on tab: String, asked question: String) async {
    await show(tab)
    guard await type(keys, see: "y "), shows(question) else { return }
    await rest(.seconds(1.5))
    guard world.happens(0.8) else { return }
    terminal.type("y")
    await rest(.seconds(1))
    terminal.type("\r")
    await rest(.seconds(5))
  }

  /// Sends the prompt of the outbox now, or drops it.
  private mutating func decideOnOutbox() async {
    guard let kept, let number = kept.split(separator: " ").last.map(String.init) else { return }
    let isDrop = world.happens(0.4)
    await show("5")
    terminal.type("\u{1B}[H")
    await rest(.seconds(1))
    guard await type(isDrop ? "D" : "R", see: "to studio/demo"), shows(kept) else { return }
    let wasWaiting = shows("It is not sent.")
    await rest(.seconds(1.5))
    terminal.type("y")
    await rest(.seconds(1))
    terminal.type("\r")
    for _ in 0..<60 {
      await rest(.milliseconds(500))
      guard !shows("dropped prompt") else {
        world.mark("dropped")
        if wasWaiting { said.append((number, .notSent)) }
        return
      }
    }
  }

  // MARK: - The end

  /// Leaves the console from any screen; `nil` if that fails.
  func leave() async -> Program.Outcome? {
    for _ in 0..<8 where !terminal.hasEnded {
      terminal.type("\u{03}")
      await rest(.seconds(2))
    }
    return try? await terminal.end()
  }
}
