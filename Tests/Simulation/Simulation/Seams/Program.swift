// SPDX-License-Identifier: MIT

import EventLoop
import Oppi
package import OppiClient
package import OppiSystem
import OppiTransport
import Synchronization

/// A run of `oppi` in a world, with its own process, disk view, sockets and streams.
package final class Program: Sendable {
  /// The exit status, output and duration of a run.
  package struct Outcome: Sendable {
    /// `nil` if the program was killed.
    package var status: Int32?
    package var output: String
    package var errors: String
    package var elapsed: Duration

    /// The lines of standard output.
    package var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  private let world: World
  private let id: Int

  /// The process id.
  package var number: Int { id }

  private let home: String
  private let life: Life
  /// `nil` if the program has pipes only.
  private let terminal: VirtualTerminal?
  /// `nil` if there is no desktop.
  private let desktop: VirtualDesktop?
  private let environment: [String: String]
  private let output = Mutex("")
  private let errors = Mutex("")
  private let task = Mutex<Task<Int32, Never>?>(nil)

  /// Prepares a program that dies after `calls` system calls; `nil` for no limit.
  init(
    in world: World,
    id: Int,
    home: String,
    calls: Int?,
    terminal: VirtualTerminal?,
    desktop: VirtualDesktop?,
    environment: [String: String]
  ) {
    self.world = world
    self.id = id
    self.home = home
    self.terminal = terminal
    self.desktop = desktop
    self.environment = environment.merging(["HOME": home, "PATH": "/bin"]) { given, _ in given }
    life = Life(calls: calls)
  }

  package var files: FileStore {
    FileStore(loop: world.loop, disk: ProgramDisk(disk: world.disk, life: life), process: identity)
  }

  private var identity: ProcessIdentity {
    ProcessIdentity(id: Int32(id)) { [world] in world.isRunning(Int($0)) }
  }

  /// The number of system calls so far.
  package var callsMade: Int { life.callsMade }

  /// Standard output so far.
  package var outputSoFar: String { output.withLock { $0 } }

  /// Interrupts the program, as Ctrl-C does.
  package func interrupt() {
    task.withLock { $0?.cancel() }
  }

  package func kill() { life.kill() }

  private func write(_ bytes: [UInt8], to stream: StandardStream) {
    guard life.isAlive else { return }
    terminal?.show(bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    switch stream {
    case .errors: errors.withLock { $0 += text }
    default: output.withLock { $0 += text }
    }
  }

  private var policy: OutputPolicy {
    OutputPolicy(
      options: GlobalOptions(),
      environment: environment,
      destination: OutputPolicy.Destination(
        isInputTerminal: terminal != nil,
        isOutputTerminal: terminal != nil,
        isErrorTerminal: terminal != nil,
        width: terminal?.columns,
        height: terminal?.rows
      )
    )
  }

  /// The environment of its commands and flows.
  package var context: Context {
    Context(
      output: Output(policy: policy, on: world.loop) { [self] bytes, stream in
        write(bytes, to: stream)
      },
      options: GlobalOptions(),
      environment: environment,
      paths: XDGPaths(environment: environment, home: home),
      network: Network(
        loop: world.loop,
        environment: environment,
        sockets: VirtualSockets(network: world.network, owner: id, life: life)
      ),
      disk: ProgramDisk(disk: world.disk, life: life),
      process: identity,
      terminal: terminal ?? NoTerminal(),
      desktop: VirtualDesktop.Access(desktop: desktop, programs: world.programs),
      programs: world.programs,
      hasUnreadInput: { false },
      workingDirectory: { [environment, home] in
        WorkingDirectory(paths: [environment["PWD"] ?? home], home: home)
      },
      programPath: { "/bin/oppi" }
    )
  }

  /// Runs a command line until it ends or the program is killed.
  package func run(_ words: [String]) async -> Outcome {
    let begin = world.loop.now
    world.tell("program \(id): oppi \(words.joined(separator: " "))")
    let context = context
    life.onDeath { [self] in
      world.tell("program \(id): killed")
      world.network.kill(id)
      interrupt()
    }
    let main = Task(executorPreference: world.loop) { await OppiProgram.run(words, in: context) }
    task.withLock { $0 = main }
    world.begin(self)
    let status = await main.value
    world.end(self)
    life.end()
    let outcome = Outcome(
      status: life.isAlive ? status : nil,
      output: output.withLock { $0 },
      errors: errors.withLock { $0 },
      elapsed: begin.duration(to: world.loop.now)
    )
    world.tell("program \(id): \(outcome.story)")
    if ["ask", "run"].contains(words.first), let status = outcome.status {
      world.count(Tally(isUnknown: status == 6))
    }
    return outcome
  }
}

extension Program.Outcome: CustomStringConvertible {
  package var description: String { story }

  /// The outcome in a few lines, for the story of a world.
  var story: String {
    let end = status.map { "status \($0)" } ?? "killed"
    let said = (output + errors).split(separator: "\n").map { "\n    \($0)" }.joined()
    return "\(end) after \(elapsed)\(said)"
  }
}
