// SPDX-License-Identifier: MIT

import EventLoop

/// A chat through cuts and restarts: a message runs at most once and never disappears silently, and
/// no call runs without a deliberate approval.
enum ChatScenario {
  static func play(_ world: World) async throws {
    let server = try await world.addServer(.drawn(in: world, name: "studio"))
    let terminal = world.start(
      ["chat", "-w", "demo"],
      columns: world.choose([40, 80, 80, 160]),
      rows: world.choose([14, 24, 50])
    )
    do {
      try await terminal.see("Session")
      if world.happens(0.7) { try await terminal.see("Enter: send") }
    } catch {
      return world.check(false, "the chat did not start without faults: \(error)")
    }
    let faults = world.drawNetworkFaults()
    world.set(faults)
    var person = ChatPerson(world: world, terminal: terminal)
    let talk = Task(executorPreference: world.loop) { [person] in
      var person = person
      for _ in 0..<(2 + world.number(below: 6)) { await person.act() }
      return person
    }
    let isRestarting = world.happens(0.4)
    if world.happens(0.3) { world.endTokens(of: server, within: .seconds(90)) }
    if isRestarting { await world.restart(server, within: .seconds(90), awayFor: .seconds(60)) }
    person = await talk.value
    let check = ChatCheck(world: world, server: server, terminal: terminal)
    world.expectToStay { [person] in
      await person.goBackToDraft()
      world.tell("the screen:\n    " + terminal.lines.joined(separator: "\n    "))
      check.check(person)
      if await !person.isHeard(by: server) { world.check(false, "the chat sends nothing any more") }
    }
    try await world.calmDown()
    guard let outcome = await person.leave() else {
      return world.check(false, "the chat does not end")
    }
    check.check(outcome, isTroubled: isRestarting || World.isTroubled(faults))
  }
}

/// A simulated user in a chat.
struct ChatPerson: Sendable {
  private static let escape = "\u{1B}"
  private static let interrupt = "\u{03}"
  private static let end = "\u{04}"
  private static let clearLine = "\u{15}"
  /// Texts of the panels of requests, with the keys that allow and deny.
  private static let panels = [
    (text: "a allow once", allow: "a", deny: "d"), (text: "1  Yes", allow: "1", deny: "2"),
  ]

  let world: World
  let terminal: VirtualTerminal
  /// The messages sent, each as its unique number.
  private(set) var said: [String] = []
  /// The number of deliberate approvals.
  private(set) var allowed = 0
  /// Whether the agent asks questions, so that a message may be an answer.
  let isQuestioned: Bool

  init(world: World, terminal: VirtualTerminal) {
    isQuestioned = world.happens(0.3)
    self.world = world
    self.terminal = terminal
  }

  /// The keys that allow and deny the request shown.
  private var keys: (allow: String, deny: String)? {
    let lines = terminal.lines
    return Self.panels.first { panel in lines.contains { $0.contains(panel.text) } }
      .map { ($0.allow, $0.deny) }
  }

  private var isAsked: Bool { keys != nil }

  private var hasEnded: Bool { terminal.hasEnded }

  private func rest(upTo time: Duration) async {
    try? await world.loop.sleep(for: world.time(upTo: time))
  }

  /// Performs a random action.
  mutating func act() async {
    await rest(upTo: .seconds(30))
    guard !hasEnded else { return }
    switch world.number(below: 10) {
    case 0: terminal.type(Self.escape)
    case 1: terminal.type("\t")
    case 2:
      terminal.resize(columns: world.choose([40, 80, 120]), rows: world.choose([14, 24, 40]))
    case 3...5 where isAsked: await allow()
    case 6 where isAsked: await deny()
    default: await say()
    }
  }

  /// Types a message, quickly or slowly, and sends it.
  private mutating func say(slowly: Bool = false) async {
    var kinds = ["hello", "deploy", "deploy", "two tools", "slow", "a d a r"]
    if isQuestioned { kinds += ["question", "question"] }
    // In a panel that has been open for a while, these keys would approve.
    if !isAsked { kinds += ["d a", "d a"] }
    let kind = world.choose(kinds)
    let number = "\(100_000 + world.number(below: 900_000))"
    let isSlow = slowly || world.happens(0.4)
    world.tell("the user types\(isSlow ? " slowly" : ""): \(kind) \(number)")
    for key in "\(kind) \(number)\r" {
      terminal.type(String(key))
      // The pauses of a typing user are shorter than the delay of a panel.
      if isSlow { await rest(upTo: .milliseconds(700)) }
    }
    // After the end of the chat, keys go to the shell.
    guard !hasEnded else { return }
    said.append(number)
    // Typing continues, so that the agent's request arrives in the middle of a message.
    if kind == "deploy", world.happens(0.4) { await say(slowly: true) }
  }

  /// Allows the request shown, after time to read it.
  private mutating func allow() async {
    guard let keys else { return }
    allowed += 1
    world.mark("allowed on purpose")
    await choose(keys.allow)
  }

  private func deny() async {
    guard let keys else { return }
    await choose(keys.deny)
  }

  private func choose(_ letter: String) async {
    world.tell("the user selects \(letter)")
    try? await world.loop.sleep(for: .seconds(2))
    terminal.type(letter)
    try? await world.loop.sleep(for: .seconds(2))
    terminal.type("\r")
    try? await world.loop.sleep(for: .seconds(2))
  }

  /// Leaves a panel, so that the draft is visible.
  func goBackToDraft() async {
    for _ in 0..<3 where !hasEnded {
      terminal.type(Self.escape)
      try? await world.loop.sleep(for: .seconds(2))
    }
  }

  /// Whether the server gets a message that is typed without faults, unless a request is shown
  /// instead of the draft.
  func isHeard(by server: VirtualServer) async -> Bool {
    let isInPanel = terminal.lines.last?.hasPrefix("Esc: back") ?? false
    guard !hasEnded, !isAsked, !isInPanel else { return true }
    let number = "\(100_000 + world.number(below: 900_000))"
    terminal.type(Self.clearLine + "hello \(number)\r")
    for _ in 0..<60 {
      try? await world.loop.sleep(for: .seconds(2))
      if server.deliveries.contains(where: { $0.prompt.contains(number) }) {
        world.mark("heard")
        return true
      }
    }
    world.tell("the screen:\n    " + terminal.lines.joined(separator: "\n    "))
    return false
  }

  /// Leaves the chat from any screen; `nil` if that fails.
  func leave() async -> Program.Outcome? {
    for _ in 0..<8 where !hasEnded {
      terminal.type(Self.escape)
      try? await world.loop.sleep(for: .seconds(2))
      terminal.type(Self.clearLine)
      try? await world.loop.sleep(for: .seconds(2))
      terminal.type(Self.end)
      try? await world.loop.sleep(for: .seconds(20))
      if !hasEnded { terminal.type(Self.interrupt) }
      try? await world.loop.sleep(for: .seconds(2))
    }
    return try? await terminal.end()
  }
}
