// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import LoopbackServer
import OppiModel
import OppiSystem
import OppiTransport
import Simulation
import TestSupport
import Testing

@testable import OppiCommands

/// Runs command lines in this process, in a home of their own that is paired with a server, and
/// keeps in memory what they say.
final class CommandBench: Sendable {
  let server: RunningServer
  private let home: Scratch
  /// The other programs of the machine, which stay as they are.
  private let programs = VirtualPrograms()

  var homeFolder: String { home.folder }

  /// Starts a server whose ids and names are the same each time, as far as it chooses them.
  init(_ change: (inout LoopbackServer.Configuration) -> Void = { _ in }) throws {
    var configuration = LoopbackServer.Configuration()
    configuration.name = "studio"
    configuration.workspaces = [
      Workspace(id: "demo0001", name: "demo", icon: "hammer", description: "Demo repository"),
      Workspace(id: "webapp01", name: "webapp", defaultModel: "anthropic/claude-opus-4-6"),
    ]
    change(&configuration)
    server = try LoopbackServer.start(configuration)
    home = try Scratch()
    _ = VirtualSchedulers(on: programs) { path in
      try? SystemDisk().open(path, for: .reading).read(atMost: 1 << 20)
    }
    // A menu in which somebody takes what Enter takes.
    programs.put("first-row") { process in
      let row = process.input.prefix { $0 != UInt8(ascii: "\n") }
      return ChildProcess.Outcome(output: Array(row), status: 0)
    }
    let pairing = try run(["pair", server.makeInvite().url])
    try #require(pairing.status == 0, "\(pairing)")
  }

  /// A fresh invite in place of the word INVITE, and what waits for approval in place of REQUEST.
  func words(_ words: [String]) throws -> [String] {
    try words.map { word in
      switch word {
      case "INVITE": server.makeInvite().url
      case "REQUEST":
        try run(["approvals"]).output.split(separator: "\t").first.map(String.init) ?? ""
      default: word
      }
    }
  }

  /// Runs a command line to its end.
  ///
  /// - Parameters:
  ///   - words: The words after the program's name.
  ///   - form: Where the output goes; JSON is asked for by its option.
  ///   - environment: Variables beside `PATH`.
  ///   - width: The columns of the terminal.
  /// - Returns: What it said.
  /// - Throws: `UsageError`, or `OutOfTime`.
  func run(
    _ words: [String],
    form: OutputForm = .pipe,
    environment: [String: String] = [:],
    width: Int = 160
  ) throws -> Outcome {
    let (output, errors) = (Recording(), Recording())
    let status = try onLoop { [home, programs] loop in
      let line = words + (form == .json ? ["--json"] : [])
      guard case .run(let options, _, let work) = try OppiTable.tool.parse(line) else {
        throw NoCommand(words: line)
      }
      let destination = OutputPolicy.Destination(
        isOutputTerminal: form == .eyes,
        isErrorTerminal: form == .eyes,
        width: width
      )
      let policy = OutputPolicy(options: options, environment: [:], destination: destination)
      let console = Console(policy: policy, on: loop) { bytes, stream in
        (stream == .errors ? errors : output).append(bytes)
      }
      let context = Context(
        console: console,
        options: options,
        environment: environment.merging(["PATH": "/usr/local/bin:/usr/bin:/bin"]) { given, _ in
          given
        },
        paths: XDGPaths(environment: [:], home: home.folder),
        network: Network(loop: loop, environment: [:]),
        programs: programs,
        workingDirectory: { [folder = home.folder] in
          WorkingDirectory(paths: [environment["PWD"] ?? folder], home: folder)
        },
        programPath: { "/usr/local/bin/oppi" }
      )
      return await Oppi.perform(work, in: context)
    }
    return Outcome(output: output.text, errors: errors.text, status: status.rawValue)
  }

  /// The line asks for no command.
  struct NoCommand: Error {
    var words: [String]
  }
}
