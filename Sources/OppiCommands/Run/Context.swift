// SPDX-License-Identifier: MIT

import Glibc
import OppiIntents
package import OppiModel
package import OppiSystem
package import OppiTransport

/// Everything of the world that a command may touch.
package struct Context: Sendable {
  package let console: Console
  package let options: GlobalOptions
  package let environment: [String: String]
  package let paths: XDGPaths
  package let network: Network
  package let now: @Sendable () -> Timestamp
  package let newID: @Sendable () -> String

  package init(
    console: Console,
    options: GlobalOptions,
    environment: [String: String],
    paths: XDGPaths,
    network: Network,
    now: @escaping @Sendable () -> Timestamp = Context.systemNow,
    newID: @escaping @Sendable () -> String = Context.randomID
  ) {
    self.console = console
    self.options = options
    self.environment = environment
    self.paths = paths
    self.network = network
    self.now = now
    self.newID = newID
  }

  /// The same with other global options.
  func with(_ options: GlobalOptions) -> Context {
    Context(
      console: console.with(options),
      options: options,
      environment: environment,
      paths: paths,
      network: network,
      now: now,
      newID: newID
    )
  }

  /// The same with output for people, whatever was asked for.
  var inWords: Context {
    var options = options
    options.isJSON = false
    return with(options)
  }

  /// The same with all files in one folder, and without what the environment says of oppi.
  func relocated(to folder: String) -> Context {
    Context(
      console: console,
      options: options,
      environment: environment.filter {
        !$0.key.hasPrefix("OPPI_") && $0.key != "CREDENTIALS_DIRECTORY"
      },
      paths: XDGPaths(environment: [:], home: folder),
      network: network,
      now: now,
      newID: newID
    )
  }

  var loop: EventLoop { network.loop }
  var serverStore: ServerStore { ServerStore(paths: paths) }
  var credentials: CredentialStore { CredentialStore(paths: paths, environment: environment) }
  var connections: Connections { Connections(network: network, credentials: credentials) }
  var lastUsed: LastUsedStore { LastUsedStore(paths: paths) }
  var launchTargets: LaunchTargetStore { LaunchTargetStore(paths: paths) }
  var config: ConfigFile { ConfigFile(path: paths.configFile) }
  var cache: WorkspaceCache { WorkspaceCache(paths: paths) { [console] in console.warnLater($0) } }

  var workspaceQuery: WorkspaceQuery {
    WorkspaceQuery(connections: connections, cache: cache, now: now)
  }

  /// The paired servers that the command is about: all, or the one of `--server`.
  func servers() throws -> [PairedServer] {
    let all = try serverStore.load().servers
    guard let name = options.server ?? nonEmpty("OPPI_SERVER") else { return all }
    return [try all.named(name)]
  }

  /// A variable of the environment, `nil` where it is unset or empty.
  func nonEmpty(_ variable: String) -> String? {
    environment[variable].flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension Context {
  package static let systemNow: @Sendable () -> Timestamp = {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: time.tv_sec * 1000 + time.tv_nsec / 1_000_000)
  }

  /// A random UUID (RFC 9562, version 4).
  package static let randomID: @Sendable () -> String = {
    var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }
      .joined(separator: "-")
  }
}
