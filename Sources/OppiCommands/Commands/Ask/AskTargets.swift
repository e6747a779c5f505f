// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem

/// Where a prompt is to go.
enum AskTargets {
  /// Finds the session or the workspaces that are named by an option, else the workspace that is
  /// meant without one, else the only one there is.
  static func resolve(
    _ options: Ask.Options,
    _ settings: ConfigFile.Settings,
    in context: Context
  ) async throws -> [AskRequest.Target] {
    if let name = options.session { return [.session(try await context.session(named: name))] }
    let resolver = try context.workspaces()
    guard options.workspaces.isEmpty else {
      return try await targets(options.workspaces, from: .option("--workspace"), by: resolver)
    }
    guard let choice = try context.workspaceToAsk(settings) else {
      return [.newSession(try await resolver.resolve(nil))]
    }
    return try await targets([choice.name], from: choice.source, by: resolver)
  }

  private static func targets(
    _ names: [String],
    from source: ValueSource,
    by resolver: WorkspaceResolver
  ) async throws -> [AskRequest.Target] {
    do {
      return try await resolver.resolve(names).map { .newSession($0) }
    } catch {
      throw OppiError(error).tracing(source)
    }
  }
}
