// SPDX-License-Identifier: MIT

import Foundation
import PackagePlugin

/// Adds the texts of `Examples/` to a target as Swift source.
@main
struct ExampleTexts: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let package = context.package.directoryURL
    let examples = package.appending(path: "Examples")
    let script = package.appending(path: "Sources/ExampleTexts/generate")
    let output = context.pluginWorkDirectoryURL.appending(path: "Example+All.swift")
    let shell = URL(filePath: "/bin/sh")
    let files = try FileManager.default.subpathsOfDirectory(atPath: path(examples))
      .map { examples.appending(path: $0) }
    return [
      // Does nothing. SwiftPM watches its folder, and calls the plugin again for the list of inputs
      // when a file has been added or removed.
      .prebuildCommand(
        displayName: "Watching Examples",
        executable: shell,
        arguments: ["-c", ":"],
        outputFilesDirectory: examples
      ),
      .buildCommand(
        displayName: "Generating Example+All.swift",
        executable: shell,
        arguments: [path(script), path(examples), path(output)],
        inputFiles: [script] + files,
        outputFiles: [output]
      ),
    ]
  }

  private func path(_ url: URL) -> String { url.path(percentEncoded: false) }
}
