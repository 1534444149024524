# SPDX-License-Identifier: AGPL-3.0-or-later
"""The pages: where they lie, their images, what is painted over them, what is under the pointer."""
