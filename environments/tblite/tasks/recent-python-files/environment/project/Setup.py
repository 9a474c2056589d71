from setuptools import setup

setup(name="tidepool")
