// SPDX-License-Identifier: MIT

import Foundation
import PackagePlugin

/// Adds the commit of the source to a target, as Swift source.
@main
struct BuildCommit: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let package = context.package.directoryURL
    let output = context.pluginWorkDirectoryURL.appending(path: "Source")
    // Runs at each build, because git has no file that changes with each commit. It writes the file
    // only when the commit changes, so that no other build compiles it again.
    return [
      .prebuildCommand(
        displayName: "Determining the commit",
        executable: URL(filePath: "/bin/sh"),
        arguments: [
          path(package.appending(path: "Sources/BuildCommit/generate")), path(package),
          path(output),
        ],
        outputFilesDirectory: output
      )
    ]
  }

  private func path(_ url: URL) -> String { url.path(percentEncoded: false) }
}
