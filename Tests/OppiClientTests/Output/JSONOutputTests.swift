// SPDX-License-Identifier: MIT

import CommandTable
import OppiSystem
import OppiText
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiTestSupport

/// The output of `--json`, for every command of the table.
@Suite struct JSONOutputTests {
  /// A command line that shows the output of a command.
  struct Sample: Sendable, CustomTestStringConvertible {
    var command: String
    var words: [String] = []
    /// The command lines that run before it.
    var before: [[String]] = []

    var line: [String] { command.split(separator: " ").map(String.init) + words }
    var testDescription: String { line.joined(separator: " ") }
  }

  private static let ask = ["ask", "-w", "demo", "hello"]
  private static let shortcut = ["shortcuts", "add", "x", "-w", "demo", "hello"]
  private static let hourly = ["--every", "1h", "--backend", "cron"]
  private static let schedule = ["schedule", "add", "x"] + hourly
  /// A prompt that stays in the outbox: its timeout is too short for any server.
  private static let queued = [
    "ask", "-w", "demo", "--queue", "--key", "late", "--timeout", "1ms", "hello",
  ]
  /// Ends once the agent waits for input.
  private static func waits(for prompt: String) -> [String] {
    ["ask", "-w", "demo", "--wait", "--on-ask", "fail", prompt]
  }
  private static let here = ["config", "here", "demo"]
  private static let waiting = ["ask", "-w", "demo", "--wait", "hello"]

  /// At least a sample for each command that help shows.
  static let samples = [
    Sample(command: "ask", words: ["-w", "demo", "hello"]),
    Sample(command: "ask", words: ["-w", "demo", "--wait", "hello"]),
    Sample(command: "ask", words: ["-w", "demo", "-w", "webapp", "--wait", "hello"]),
    Sample(command: "ask", words: ["-n", "-w", "webapp", "hello"]),
    Sample(command: "ask", words: ["-n", "-s", "last", "hello"], before: [ask]),
    // Without the option the program is replaced by another program, or opens a window.
    Sample(command: "new", words: ["--print-target"]),
    // Without the option it starts a chat.
    Sample(command: "launch", words: ["--print"], before: [["new", "--print-target"]]),
    Sample(command: "follow", words: ["last"], before: [ask]),
    Sample(command: "status"),
    Sample(command: "status", words: ["--format", "waybar"], before: [ask]),
    Sample(command: "show", before: [waiting]),
    Sample(command: "show", words: ["--all", "last"], before: [waiting]),
    Sample(command: "show", words: ["--markdown"], before: [waiting]),
    Sample(command: "show", words: ["--call", "1"], before: [waiting]),
    Sample(command: "stop", words: ["last"], before: [ask]),
    Sample(command: "stop", words: ["--session", "last"], before: [ask]),
    Sample(command: "stop", words: ["--idle", "--yes"]),
    Sample(command: "sessions list", before: [waits(for: "deploy")]),
    Sample(command: "sessions list", before: [waits(for: "question")]),
    Sample(
      command: "sessions delete",
      words: ["--older", "1h", "--all-workspaces", "--yes"],
      before: [ask]
    ),
    Sample(command: "search", words: ["hello"], before: [waiting]),
    Sample(command: "approvals list", before: [waits(for: "deploy")]),
    Sample(command: "approvals show", words: ["REQUEST"], before: [waits(for: "deploy")]),
    Sample(command: "approvals log", words: ["--all"], before: [waiting]),
    Sample(command: "approvals log", before: [waits(for: "deploy"), ["approve", "REQUEST"]]),
    Sample(command: "approve", words: ["REQUEST"], before: [waits(for: "deploy")]),
    Sample(command: "deny", words: ["REQUEST"], before: [waits(for: "wipe")]),
    Sample(command: "answer", words: ["last"], before: [waits(for: "question")]),
    Sample(command: "answer", words: ["last", "1", ""], before: [waits(for: "question")]),
    Sample(command: "ask", words: ["-w", "demo", "--key", "once", "hello"]),
    Sample(command: "history", before: [ask]),
    Sample(command: "ask", words: ["--again"], before: [ask]),
    Sample(command: "run", words: ["x"], before: [shortcut]),
    Sample(command: "shortcuts list", before: [shortcut]),
    Sample(command: "shortcuts show", words: ["x"], before: [shortcut]),
    Sample(command: "shortcuts add", words: ["x", "-w", "demo", "hello"]),
    Sample(command: "shortcuts remove", words: ["x"], before: [shortcut]),
    Sample(command: "schedule add", words: ["x"] + hourly, before: [shortcut]),
    Sample(command: "schedule add", words: ["-n", "x"] + hourly, before: [shortcut]),
    Sample(command: "schedule list", before: [shortcut, schedule, ["schedule", "run", "x"]]),
    Sample(command: "schedule next", before: [shortcut, schedule]),
    Sample(command: "schedule run", words: ["x"], before: [shortcut, schedule]),
    Sample(command: "schedule disable", words: ["x"], before: [shortcut, schedule]),
    Sample(command: "schedule enable", words: ["x"], before: [shortcut, schedule]),
    Sample(command: "schedule pause", words: ["--all"], before: [shortcut, schedule]),
    Sample(command: "schedule resume", words: ["x"], before: [shortcut, schedule]),
    Sample(command: "schedule remove", words: ["x"], before: [shortcut, schedule]),
    Sample(command: "outbox list", before: [ask, queued]),
    Sample(command: "outbox show", words: ["late"], before: [ask, queued]),
    Sample(command: "outbox flush", before: [ask, queued]),
    Sample(command: "outbox drop", words: ["late"], before: [ask, queued]),
    Sample(command: "examples list"),
    Sample(command: "examples show", words: ["cron"]),
    Sample(command: "models"),
    Sample(command: "workspaces"),
    Sample(command: "workspaces", words: ["--match", "nothing"]),
    Sample(command: "pair", words: ["INVITE"]),
    Sample(command: "servers list"),
    Sample(command: "servers show", words: ["studio"]),
    Sample(command: "servers rename", words: ["studio", "office"]),
    Sample(command: "servers forget", words: ["studio"]),
    Sample(command: "servers default", words: ["studio"]),
    Sample(command: "servers test"),
    Sample(command: "servers devices"),
    Sample(command: "config show"),
    Sample(command: "config set", words: ["workspace", "studio/demo"]),
    Sample(command: "config set", words: ["workspace", ""]),
    Sample(
      command: "config get",
      words: ["workspace"],
      before: [["config", "set", "workspace", "demo"]]
    ),
    Sample(command: "config show", before: [here, ["config", "set", "-w", "demo", "model", "x"]]),
    Sample(command: "config unset", words: ["workspace"]),
    Sample(command: "config here", words: ["studio/demo"]),
    Sample(command: "config here", words: ["--unset"]),
    Sample(command: "config here", before: [here]),
    Sample(command: "config path"),
    Sample(command: "pick", words: ["workspaces", "--print", "--picker", "first-row"]),
    Sample(command: "setup"),
    Sample(command: "doctor"),
    Sample(command: "setup", words: ["--remove", "-n"], before: [["setup"]]),
    Sample(command: "completions", words: ["fish"]),
    Sample(command: "help", words: ["json"]),
  ]

  /// Runs a test of a sample's command line, after those before it, in a world with cron and a menu.
  private static func run(
    _ sample: Sample,
    _ body: @escaping @Sendable (World, [String]) async throws -> Void
  ) {
    // Only servers with a gate keep a log.
    inWorld(sample.command == "approvals log" ? .gated : .deviceKeys) { world, server in
      _ = VirtualSchedulers(on: world.programs) { [disk = world.disk] in disk.contents(of: $0) }
      // A menu in which Enter selects the first row.
      world.programs.put("first-row") { process in
        .init(output: Array(process.input.prefix { $0 != UInt8(ascii: "\n") }), status: 0)
      }
      let invite = try #require(server.inviteText())
      func words(_ line: [String]) async -> [String] {
        let pending = line.contains("REQUEST") ? await world.oppi("approvals").output : ""
        let request = String(pending.prefix { $0 != "\t" })
        return line.map { ["INVITE": invite, "REQUEST": request][$0] ?? $0 }
      }
      for line in sample.before {
        await world.oppi(await words(line)) { [0, 3, 6].contains($0.status) }
      }
      try await body(world, await words(sample.line))
    }
  }

  /// Commands without a sample, each with the reason.
  static let exceptions = [
    "shortcuts edit": "it opens the user's editor; ShortcutTests covers it",
    "outbox retry": "it requires a failed prompt; OutboxTests covers it",
    "chat": "it requires a terminal",
    "console": "it requires a terminal",
    "demo": "it starts a real server; DemoOutputTests covers it",
    "servers revoke": "it requires another device; ServersDevicesTests covers it",
    "watch": "it runs until it is stopped; WatchTests covers it",
  ]

  /// The commands of the table by their full names, without nouns and hidden commands.
  private static func commands(
    in commands: [Command] = OppiTable.commands,
    below noun: String = ""
  ) -> [String: Command] {
    var found: [String: Command] = [:]
    for command in commands where !command.isHidden {
      if command.isNoun {
        found.merge(self.commands(in: command.subcommands, below: "\(command.name) ")) { $1 }
      } else {
        found[noun + command.name] = command
      }
    }
    return found
  }

  @Test("every command of the table has a sample and documents its members")
  func isComplete() {
    let commands = Self.commands()
    #expect(Set(Self.samples.map(\.command)).union(Self.exceptions.keys) == Set(commands.keys))
    for (name, command) in commands { #expect(!command.members.isEmpty, "\(name)") }
  }

  @Test("standard output is JSON, and each of its members is documented", arguments: samples)
  func isDocumented(_ sample: Sample) {
    Self.run(sample) { world, line in
      let outcome = try await world.oppi(line, as: .json)
      #expect(outcome.status == 0, "\(outcome)")
      try Self.checkDocumentation(of: outcome.output, sample.command)
    }
  }

  fileprivate static func checkDocumentation(of output: String, _ name: String) throws {
    #expect(!output.isEmpty && output.hasSuffix("\n"))
    let command = try #require(commands()[name])
    let documentation = MemberDocumentation(rows: command.members)
    for line in output.split(separator: "\n") {
      let object = try JSONValue(parsing: Array(line.utf8))
      #expect(object.object?.isEmpty == false, "\(line)")
      #expect(documentation.gaps(in: object) == [], "\(line)")
    }
  }

  @Test("a command that lists things has them in a member with its own name or that of its noun")
  func lists() {
    for (name, command) in Self.commands() {
      let words = name.split(separator: " ").map(String.init)
      let own = words.last == "list" ? words.first : words.last
      if command.summary.hasPrefix("List ") { #expect(!command.lists.isEmpty, "\(name)") }
      guard let list = command.lists.first else { continue }
      #expect(list == own, "\(name)")
      for list in command.lists {
        #expect(command.members.contains { $0.term == list }, "\(name): \(list)")
      }
      #expect(command.arguments.contains { $0.name == "fields" }, "\(name)")
    }
  }

  /// The samples of commands that print lists.
  private static let listings = samples.filter { commands()[$0.command]?.lists.isEmpty == false }

  @Test("--fields prints the members of each row in the given order", arguments: listings)
  func fields(_ sample: Sample) {
    Self.run(sample) { world, line in
      let command = try #require(Self.commands()[sample.command])
      let names = ListFields.names(in: command.members, of: command.lists)
      try #require(names.count > 1, "\(names)")
      let document = try await world.oppi(line, as: .json).json
      let rows = command.lists.flatMap { document[$0].array ?? [] }
      let chosen = [names[names.count - 1], names[0]].joined(separator: ",")
      let outcome = await world.oppi(line + ["--fields", chosen], exits: 0)
      let columns = outcome.lines.map {
        $0.split(separator: "\t", omittingEmptySubsequences: false)
      }
      #expect(columns.allSatisfy { $0.count == 2 } && columns.count == rows.count, "\(outcome)")
      if rows.allSatisfy({ $0[names[0]].string != nil }) {
        #expect(columns.map { String($0[1]) } == rows.compactMap { $0[names[0]].string })
      }
      await world.oppi(line + ["--fields", names.joined(separator: ",")], exits: 0) {
        $0.lines.count == rows.count
      }
    }
  }

  @Test("an unknown name for --fields is an error that lists the names; --json has all members")
  func wrongFields() throws {
    let error = #expect(throws: UsageError.self) {
      try OppiTable.tool.parse(["sessions", "--fields", "id,stat"])
    }
    #expect(error?.message == "no field 'stat'")
    #expect(error?.hint == "did you mean 'state'?")
    let other = #expect(throws: UsageError.self) {
      try OppiTable.tool.parse(["sessions", "--fields", "nosuch"])
    }
    #expect(other?.hint?.contains("id, state, ") == true)
    #expect(throws: UsageError.self) { try OppiTable.tool.parse(["history", "--fields", "a,"]) }
    inWorld { world, _ in
      await world.oppi("sessions", "--fields", "id", "--json", exits: 64) { $0.output.isEmpty }
    }
  }

  @Test("on a terminal the columns of --fields are aligned")
  func alignedFields() {
    inWorld { world, _ in
      let words = ["workspaces", "--fields", "name,serverName"]
      let outcome = try await world.oppi(words, as: .terminal)
      #expect(
        outcome.output.replacing("\u{1B}[1m", with: "").replacing("\u{1B}[0m", with: "")
          == "NAME    SERVERNAME\ndemo    studio\nwebapp  studio\n",
        "\(outcome)"
      )
    }
  }

  @Test("a failure is an object on standard error, with empty standard output")
  func failure() {
    inWorld { world, _ in
      await world.oppi("servers", "show", "nobody", "--json", exits: 66) {
        $0.output.isEmpty && $0.error["code"] == "no-such-server"
      }
    }
  }
}

/// The output of a command that starts a server of its own, by the real program.
@Suite(.fewAtOnce) struct DemoOutputTests {
  @Test("standard output of the demo is JSON, and each of its members is documented")
  func demo() async throws {
    let outcome = try await Home().oppi("demo", "--json")
    #expect(outcome.status == 0, "\(outcome)")
    try JSONOutputTests.checkDocumentation(of: outcome.output, "demo")
  }
}
