// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import FakeServer
import OppiModel
import OppiSystem
import OppiTransport
import Simulation
import TestSupport
import Testing

@testable import Oppi

/// Runs command lines in this process, in a home that is paired with a server, and records their
/// output.
final class CommandBench: Sendable {
  let server: RunningServer
  private let home: Scratch
  /// The other programs of the machine, the same for all runs.
  private let programs = VirtualPrograms()

  var homeFolder: String { home.folder }

  /// Starts a server with a fixed name and fixed workspaces.
  init(_ change: (inout FakeServer.Configuration) -> Void = { _ in }) throws {
    var configuration = FakeServer.Configuration()
    configuration.name = "studio"
    configuration.workspaces = [
      Workspace(id: "demo0001", name: "demo", icon: "hammer", description: "Demo repository"),
      Workspace(id: "webapp01", name: "webapp", defaultModel: "anthropic/claude-opus-4-6"),
    ]
    change(&configuration)
    server = try FakeServer.start(configuration)
    home = try Scratch()
    _ = VirtualSchedulers(on: programs) { path in
      try? SystemDisk().open(path, for: .reading).read(atMost: 1 << 20)
    }
    // A menu in which Enter selects the first row.
    programs.put("first-row") { process in
      let row = process.input.prefix { $0 != UInt8(ascii: "\n") }
      return ChildProcess.Outcome(output: Array(row), status: 0)
    }
    let pairing = try run(["pair", server.makeInvite().url])
    try #require(pairing.status == 0, "\(pairing)")
  }

  /// Replaces INVITE by a fresh invite, and REQUEST by the id of the first pending approval.
  func words(_ words: [String]) throws -> [String] {
    try words.map { word in
      switch word {
      case "INVITE": try server.makeInvite().url
      case "REQUEST":
        try run(["approvals"]).output.split(separator: "\t").first.map(String.init) ?? ""
      default: word
      }
    }
  }

  /// Runs a command line to its end.
  ///
  /// `form` is the kind of output; JSON is requested by its option. `environment` extends `PATH`.
  /// Throws `UsageError`, ``NoCommand`` or `OutOfTime`.
  func run(
    _ words: [String],
    form: OutputForm = .pipe,
    environment: [String: String] = [:],
    width: Int = 160
  ) throws -> Outcome {
    let (output, errors) = (WrittenBytes(), WrittenBytes())
    let status = try onLoop { [self] loop in
      let line = words + (form == .json ? ["--json"] : [])
      guard case .run(let options, _, let work) = try OppiTable.tool.parse(line) else {
        throw NoCommand(words: line)
      }
      let destination = OutputPolicy.Destination(
        isOutputTerminal: form == .terminal,
        isErrorTerminal: form == .terminal,
        width: width
      )
      let policy = OutputPolicy(options: options, environment: [:], destination: destination)
      let streams = Output(policy: policy, on: loop) { bytes, stream in
        (stream == .errors ? errors : output).append(bytes)
      }
      let context = context(streams, options, environment, on: loop)
      return await OppiProgram.perform(work, in: context)
    }
    return Outcome(output: output.text, errors: errors.text, status: status.rawValue)
  }

  /// The environment of a command in this home.
  func context(
    _ output: Output,
    _ options: GlobalOptions = GlobalOptions(),
    _ environment: [String: String] = [:],
    on loop: EventLoop
  ) -> Context {
    Context(
      output: output,
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
  }

  /// The line does not run a command.
  struct NoCommand: Error {
    var words: [String]
  }
}
