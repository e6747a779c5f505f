// SPDX-License-Identifier: MIT

import Foundation
import PackagePlugin

/// Adds the texts of `Examples/` to a target as Swift source.
@main
struct ExampleTexts: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let package = context.package.directoryURL
    let output = context.pluginWorkDirectoryURL.appending(path: "Source")
    // Runs at each build, because SwiftPM does not notice an added file otherwise. It must not list
    // the examples as outputs, which would become a bundle of resources: code for it contains the
    // path of the build and links Foundation.
    return [
      .prebuildCommand(
        displayName: "Generating Example+All.swift",
        executable: URL(filePath: "/bin/sh"),
        arguments: [
          path(package.appending(path: "Sources/ExampleTexts/generate")),
          path(package.appending(path: "Examples")),
          path(output.appending(path: "Example+All.swift")),
        ],
        outputFilesDirectory: output
      )
    ]
  }

  private func path(_ url: URL) -> String { url.path(percentEncoded: false) }
}
