// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem

/// Where a prompt is to go.
enum AskTargets {
  /// Finds the session or the workspaces that are named: by an option, else by the environment, else
  /// by a setting, else the only workspace there is.
  static func resolve(
    _ options: Ask.Options,
    _ settings: ConfigFile.Settings,
    in context: Context
  ) async throws -> [AskRequest.Target] {
    if let name = options.session { return [.session(try await context.session(named: name))] }
    let resolver = try context.workspaces()
    let (words, source) = try names(options, settings, in: context)
    do {
      return try await resolver.resolve(words).map { .newSession($0) }
    } catch {
      throw source.map(OppiError(error).tracing) ?? error
    }
  }

  private static func names(
    _ options: Ask.Options,
    _ settings: ConfigFile.Settings,
    in context: Context
  ) throws -> ([String?], ValueSource?) {
    if !options.workspaces.isEmpty { return (options.workspaces, .option("--workspace")) }
    let variable = "OPPI_WORKSPACE"
    if let word = context.nonEmpty(variable) { return ([word], .variable(variable)) }
    guard let word = try settings.text(of: .workspace) else { return ([nil], nil) }
    return ([word], .setting(.workspace, path: settings.path))
  }
}
